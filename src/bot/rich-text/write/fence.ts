import { runLength } from '../parse/characters.ts'

/**
 * The shortest row of backticks that the code has nowhere: around it, nothing in the code can end it.
 *
 * @param charsMin 3 for a block of code.
 */
export function shortestFence(code: string, charsMin = 1): string {
  let chars = charsMin
  for (let at = code.indexOf('`'); at !== -1; at = code.indexOf('`', at)) {
    const length = runLength(code, at)
    chars = Math.max(chars, length + 1)
    at += length
  }
  return '`'.repeat(chars)
}

/** Writes a block of code. */
export function writeFenced(code: string, language = ''): string {
  const fence = shortestFence(code, 3)
  return `${fence}${language}\n${code}\n${fence}`
}
