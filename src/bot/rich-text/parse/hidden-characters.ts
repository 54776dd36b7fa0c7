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
/** The first half of a tag may stand alone at the end of a text that goes on. */
const HIDDEN = new RegExp(
  `(?!${NEEDED.join('|')})[\\p{Default_Ignorable_Code_Point}\\u{db40}]`,
  'gu',
)
/** Half a character, or half a line end, at the end of a text that goes on. */
const UNDECIDED = /^[\r\ud800-\udbff]$/

interface Hidden {
  index: number
  length: number
}

/** The beginning of a source of which no longer one shows anything else. */
export interface ShownBeginning {
  end: number
  text: string
  hidden: readonly Hidden[]
}

const NO_BEGINNING: ShownBeginning = { end: 0, text: '', hidden: [] }

/** A text as its reader may see it. */
export interface ShownText {
  text: string
  /** Turns an offset in it into one in its source; what is left out there belongs to what is before it. */
  toSource(offset: number): number
  beginning: ShownBeginning
}

/**
 * Leaves out what no reader sees and what has a text seem another one: characters without width,
 * messages written in tags, and all that turns the direction of what comes after it.
 *
 * What shapes letters and emojis stays. Each is judged by what stands in front of it, so that the
 * beginning of a text always shows the beginning of what the whole text shows.
 *
 * @param before The same of the beginning of the text. It changes the cost, not the outcome.
 * @see https://trojansource.codes
 */
export function leaveOutHidden(source: string, before = NO_BEGINNING): ShownText {
  const end = UNDECIDED.test(source.slice(-1)) ? source.length - 1 : source.length
  const beginning = readOn(source, before.end <= end ? before : NO_BEGINNING, end)
  const { text, hidden } = readOn(source, beginning, source.length)
  return { text, toSource, beginning }

  function toSource(offset: number): number {
    let at = offset
    for (const { index, length } of hidden) {
      if (index > at) break
      at += length
    }
    return at
  }
}

function readOn(source: string, before: ShownBeginning, end: number): ShownBeginning {
  const { end: from, hidden } = before
  if (end === from) return before
  const known = source.slice(0, end)
  // What stands in front of it is looked at, but not searched.
  HIDDEN.lastIndex = from
  const fresh = Array.from(known.matchAll(HIDDEN), ({ index, 0: { length } }) => ({
    index,
    length,
  }))
  HIDDEN.lastIndex = 0
  // Most texts have nothing that is hidden: these are not put together again.
  if (hidden.length + fresh.length === 0) return { end, text: known, hidden }
  let { text } = before
  let at = from
  for (const { index, length } of fresh) {
    text += source.slice(at, index)
    at = index + length
  }
  text += source.slice(at, end)
  return { end, text, hidden: fresh.length === 0 ? hidden : [...hidden, ...fresh] }
}
