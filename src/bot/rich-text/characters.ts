const SHOWN = /[^\s\p{Cc}\p{Default_Ignorable_Code_Point}\u2800]/u

/** Checks whether a text shows nothing: only blanks and characters without width. */
export function isBlank(text: string): boolean {
  return !SHOWN.test(text)
}

/** The class of a character in CommonMark's flanking rules. The edge of a line counts as blank. */
export function classOf(character: string | undefined): 'blank' | 'punctuation' | 'word' {
  if (character === undefined || character === '' || /^\s/.test(character)) return 'blank'
  return /^[\p{P}\p{S}]/u.test(character) ? 'punctuation' : 'word'
}

export function runLength(text: string, from: number): number {
  let end = from
  while (end < text.length && text.charAt(end) === text.charAt(from)) end++
  return end - from
}

/** Finds the beginning of the line after the blank lines at `from`. */
export function skipBlankLines(text: string, from: number): number {
  let start = from
  for (let at = from; at < text.length && text.charAt(at).trim() === ''; at++) {
    if (text.charAt(at) === '\n') start = at + 1
  }
  return start
}

const CLUSTERS = new Intl.Segmenter('en', { granularity: 'grapheme' })
/** Far longer than an emoji of a family. Endless marks above one letter are cut. */
const CLUSTER_CHARS_MAX = 200

/**
 * Finds the beginning of the visible character at an offset: an emoji of several, a letter with its marks.
 *
 * @param from Where the search begins. The result is after it.
 */
export function characterStart(text: string, at: number, from: number): number {
  if (at >= text.length) return at
  const window = text.slice(from, at + 2)
  const start = from + (CLUSTERS.segment(window).containing(at - from)?.index ?? at - from)
  if (start > from && at - start <= CLUSTER_CHARS_MAX) return start
  const isHalf = /^[\uD800-\uDBFF]$/.test(text.charAt(at - 1))
  return isHalf && at - 1 > from ? at - 1 : at
}

/** The first words show the direction of a language. */
const LOOKED_AT_CHARS = 2000
/** Code, addresses and tags are in Latin letters in every language. */
const LATIN =
  /(`{3,}|~{3,})[\s\S]*?(?:\1|$)|`[^`\n]*(?:`|$)|\]\([^)\s]*\)?|https?:\/\/\S+|<\/?[a-z]+>/gi
const RIGHT_TO_LEFT =
  /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}\p{Script=Samaritan}\p{Script=Mandaic}\p{Script=Adlam}]/u

/** Checks whether a text reads from right to left, by the first letter of its prose. */
export function isRightToLeft(markdown: string): boolean {
  const beginning = markdown.slice(0, LOOKED_AT_CHARS)
  if (!RIGHT_TO_LEFT.test(beginning)) return false
  return RIGHT_TO_LEFT.test(/\p{L}/u.exec(beginning.replaceAll(LATIN, ' '))?.[0] ?? '')
}

/** Scripts with letters that join their neighbours, or without blanks between words. */
const SHAPED = [
  ...['Arabic', 'Syriac', 'Mongolian', 'Nko', 'Devanagari', 'Bengali', 'Gurmukhi', 'Gujarati'],
  ...['Oriya', 'Tamil', 'Telugu', 'Kannada', 'Malayalam', 'Sinhala', 'Tibetan', 'Myanmar', 'Khmer'],
  ...['Thai', 'Lao'],
]
const SHAPED_LETTER = `[${SHAPED.map((script) => `\\p{Script=${script}}`).join('')}]`
const EMOJI_END = '[\\p{Extended_Pictographic}\\p{Emoji_Modifier}\\u{fe0f}]'
const VARIATION = '[\\u{fe00}-\\u{fe0f}\\u{e0100}-\\u{e01ef}]'
/** Visible letters and marks that Unicode calls ignorable: of Hangul, Khmer and Mongolian; direction signs. */
const VISIBLE =
  '[\\u{115f}\\u{1160}\\u{17b4}\\u{17b5}\\u{180b}-\\u{180f}\\u{61c}\\u{200e}\\u{200f}]'

const NEEDED = [
  VISIBLE,
  `(?<=${SHAPED_LETTER})[\\u{200b}-\\u{200d}]`,
  `(?<=${EMOJI_END})\\u{200d}`,
  `(?<!${VARIATION})${VARIATION}`,
  // The flags of England, Scotland and Wales are tags after a black flag.
  '(?<=\\u{1f3f4}[\\u{e0020}-\\u{e007e}]{0,5})[\\u{e0020}-\\u{e007f}]',
]
/** The first half of a tag may be alone at the end of a growing text. */
const IGNORABLE = '[\\p{Default_Ignorable_Code_Point}\\u{db40}]'
const HIDDEN = new RegExp(`(?=${IGNORABLE})(?!${NEEDED.join('|')})${IGNORABLE}`, 'gu')

export interface ShownText {
  text: string
  /** Turns its offset into an offset of the source. Hidden characters belong to the text before them. */
  toSource(offset: number): number
}

/**
 * Removes invisible characters that disguise a text: without width, tags, and changes of direction.
 *
 * Keeps the characters that shape letters and emojis. Judges each by the text before it, so that the beginning of a
 * text always shows the beginning of the whole.
 *
 * @see https://trojansource.codes
 */
export function leaveOutHidden(source: string): ShownText {
  const hidden = Array.from(source.matchAll(HIDDEN), ({ index, 0: { length } }) => ({
    index,
    length,
  }))
  return { text: hidden.length === 0 ? source : source.replaceAll(HIDDEN, ''), toSource }

  function toSource(offset: number): number {
    let at = offset
    for (const { index, length } of hidden) {
      if (index > at) break
      at += length
    }
    return at
  }
}
