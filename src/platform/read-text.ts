import { readFileSync } from 'node:fs'

/** Reads a text that a person wrote, without a byte order mark. The `code` of an error is the reason. */
export function readText(path: string): string {
  const bytes = readFileSync(path)
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch (cause) {
    const error = new Error(`Cannot read "${path}": not UTF-8`, { cause })
    throw Object.assign(error, { code: 'not UTF-8' })
  }
}
