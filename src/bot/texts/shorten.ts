import { characterStart } from '../rich-text/characters.ts'

/** Cuts a text to a number of Unicode code points, including the final "…". */
export function shorten(text: string, charsMax: number): string {
  const codePoints = [...text]
  if (codePoints.length <= charsMax) return text
  const { length } = codePoints.slice(0, charsMax - 1).join('')
  const end = characterStart(text, length, 0)
  return `${text.slice(0, end).trimEnd()}…`
}

/** Cuts a name or a description, and joins its lines. */
export function shortenLine(text: string, charsMax: number): string {
  return shorten(text.replace(/\s+/g, ' ').trim(), charsMax)
}
