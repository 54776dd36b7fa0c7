/** Scripts whose letters join by their neighbours, or whose words have no blanks between them. */
const SHAPED = [
  ...['Arabic', 'Syriac', 'Mongolian', 'Nko', 'Devanagari', 'Bengali', 'Gurmukhi', 'Gujarati'],
  ...['Oriya', 'Tamil', 'Telugu', 'Kannada', 'Malayalam', 'Sinhala', 'Tibetan', 'Myanmar', 'Khmer'],
  ...['Thai', 'Lao'],
]
const SHAPED_LETTER = `[${SHAPED.map((script) => `\\p{Script=${script}}`).join('')}]`
const EMOJI_END = '[\\p{Extended_Pictographic}\\p{Emoji_Modifier}\\u{fe0f}]'
const VARIATION = '[\\u{fe00}-\\u{fe0f}\\u{e0100}-\\u{e01ef}]'
/** Letters and marks that count as ignorable: of Hangul, Khmer and Mongolian; signs of a direction. */
const VISIBLE =
  '[\\u{115f}\\u{1160}\\u{17b4}\\u{17b5}\\u{180b}-\\u{180f}\\u{61c}\\u{200e}\\u{200f}]'

const NEEDED = [
  VISIBLE,
  `(?<=${SHAPED_LETTER})[\\u{200b}-\\u{200d}]`,
  `(?<=${EMOJI_END})\\u{200d}`,
  `(?<!${VARIATION})${VARIATION}`,
  // England, Scotland and Wales have flags that are spelled out after a black one.
  '(?<=\\u{1f3f4}[\\u{e0020}-\\u{e007e}]{0,5})[\\u{e0020}-\\u{e007f}]',
]
/** The first half of a tag may stand alone at the end of a text that grows. */
const IGNORABLE = '[\\p{Default_Ignorable_Code_Point}\\u{db40}]'
const HIDDEN = new RegExp(`(?=${IGNORABLE})(?!${NEEDED.join('|')})${IGNORABLE}`, 'gu')

/** A text as its reader may see it. */
export interface ShownText {
  text: string
  /** Turns an offset in it into an offset in its source. Hidden characters there belong to the text before them. */
  toSource(offset: number): number
}

/**
 * Removes what no reader sees and what disguises a text: characters without width, messages written in tags,
 * and all that turns the direction of the text after it.
 *
 * The characters that shape letters and emojis stay. Each is judged by the text in front of it, so that the
 * beginning of a text always shows the beginning of what the whole text shows.
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
