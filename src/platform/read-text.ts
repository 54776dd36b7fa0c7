import { readFileSync } from 'node:fs'

class NotUtf8Error extends Error {
  override readonly name = 'NotUtf8Error'
  readonly code = 'not UTF-8'
}

/** Reads a text that a person wrote, without a byte order mark. The `code` of an error is the reason. */
export function readText(path: string): string {
  const bytes = readFileSync(path)
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch (cause) {
    throw new NotUtf8Error(`Cannot read "${path}": not UTF-8`, { cause })
  }
}
