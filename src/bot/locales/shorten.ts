/**
 * Cuts a text that has more than so many characters, and says so by a "…" that counts as one.
 *
 * @param charsMax In Unicode code points.
 */
export function shorten(text: string, charsMax: number): string {
  const characters = [...text]
  if (characters.length <= charsMax) return text
  const kept = characters.slice(0, charsMax - 1).join('')
  return `${kept.trimEnd()}…`
}

/** The same of a name or a description, kept in one line. */
export function shortenLine(text: string, charsMax: number): string {
  return shorten(text.replace(/\s+/g, ' ').trim(), charsMax)
}
