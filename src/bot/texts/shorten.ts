import { characterStart } from '../rich-text/characters.ts'

/**
 * Cuts a text that has more than so many characters, and says so by a "…" that counts as one.
 *
 * @param charsMax In Unicode code points.
 */
export function shorten(text: string, charsMax: number): string {
  const codePoints = [...text]
  if (codePoints.length <= charsMax) return text
  const { length } = codePoints.slice(0, charsMax - 1).join('')
  const end = characterStart(text, length, 0)
  return `${text.slice(0, end).trimEnd()}…`
}

/** The same of a name or a description, kept in one line. */
export function shortenLine(text: string, charsMax: number): string {
  return shorten(text.replace(/\s+/g, ' ').trim(), charsMax)
}
