/** Languages have one direction: their first words show it. */
const LOOKED_AT_CHARS = 2000
/** Code is in Latin letters whatever is written around it. */
const CODE = /(`{3,}|~{3,})[\s\S]*?(?:\1|$)|`[^`\n]*(?:`|$)/g
const ADDRESS = /\]\([^)\s]*\)?|https?:\/\/\S+/g
const TAG = /<\/?[a-z]+>/gi
const LETTER = /\p{L}/u
const RIGHT_TO_LEFT =
  /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}\p{Script=Samaritan}\p{Script=Mandaic}\p{Script=Adlam}]/u

/** Checks whether a text is read from right to left: whether the first letter of its prose is. */
export function isRightToLeft(markdown: string): boolean {
  const beginning = markdown.slice(0, LOOKED_AT_CHARS)
  if (!RIGHT_TO_LEFT.test(beginning)) return false
  const prose = beginning.replaceAll(CODE, ' ').replaceAll(ADDRESS, ' ').replaceAll(TAG, ' ')
  return RIGHT_TO_LEFT.test(LETTER.exec(prose)?.[0] ?? '')
}
