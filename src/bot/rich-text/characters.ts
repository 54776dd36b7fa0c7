const SHOWN = /[^\s\p{Cc}\p{Default_Ignorable_Code_Point}\u2800]/u

/** Checks whether a text shows nothing: no characters, blanks or those without width. */
export function isBlank(text: string): boolean {
  return !SHOWN.test(text)
}

/** The class of a character in CommonMark's flanking rules. The edge of a line counts as blank. */
export function classOf(character: string | undefined): 'blank' | 'punctuation' | 'word' {
  if (character === undefined || character === '' || /^\s/.test(character)) return 'blank'
  return /^[\p{P}\p{S}]/u.test(character) ? 'punctuation' : 'word'
}

/** How often the character at `from` is repeated from there on. */
export function runLength(text: string, from: number): number {
  let end = from
  while (end < text.length && text.charAt(end) === text.charAt(from)) end++
  return end - from
}

/** Finds where the line begins after the whole blank lines that follow from `from` on. */
export function skipBlankLines(text: string, from: number): number {
  let start = from
  for (let at = from; at < text.length && text.charAt(at).trim() === ''; at++) {
    if (text.charAt(at) === '\n') start = at + 1
  }
  return start
}

const CLUSTERS = new Intl.Segmenter('en', { granularity: 'grapheme' })
/** Far longer than an emoji of a family. Endless marks above one letter are cut somewhere. */
const CLUSTER_CHARS_MAX = 200

/**
 * Finds where the character at an offset begins, as its reader counts characters: an emoji of several, a letter with
 * its marks.
 *
 * @param from Where the text that is looked at begins. The result is after it.
 */
export function characterStart(text: string, at: number, from: number): number {
  if (at >= text.length) return at
  const window = text.slice(from, at + 2)
  const start = from + (CLUSTERS.segment(window).containing(at - from)?.index ?? at - from)
  if (start > from && at - start <= CLUSTER_CHARS_MAX) return start
  const isHalf = /^[\uD800-\uDBFF]$/.test(text.charAt(at - 1))
  return isHalf && at - 1 > from ? at - 1 : at
}

/** Languages have one direction: their first words show it. */
const LOOKED_AT_CHARS = 2000
/** Code, addresses and tags are in Latin letters whatever is written around them. */
const LATIN =
  /(`{3,}|~{3,})[\s\S]*?(?:\1|$)|`[^`\n]*(?:`|$)|\]\([^)\s]*\)?|https?:\/\/\S+|<\/?[a-z]+>/gi
const RIGHT_TO_LEFT =
  /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}\p{Script=Samaritan}\p{Script=Mandaic}\p{Script=Adlam}]/u

/** Checks whether a text is read from right to left: whether the first letter of its prose is. */
export function isRightToLeft(markdown: string): boolean {
  const beginning = markdown.slice(0, LOOKED_AT_CHARS)
  if (!RIGHT_TO_LEFT.test(beginning)) return false
  return RIGHT_TO_LEFT.test(/\p{L}/u.exec(beginning.replaceAll(LATIN, ' '))?.[0] ?? '')
}
