/** A code fence that is cut. */
export interface Fence {
  /** The line that opens it again elsewhere. */
  opening: string
  /** The line that closes it. */
  closing: string
}

/** What a line is cut off by, at most: a line break and the longest closing line. */
const CLOSING_CHARS_MAX = 17
/** A longer word behind the marker is no language. */
const LANGUAGE_CHARS_MAX = 32

const MARKER = /^[ \t]*(`{3,16}|~{3,16})([^\n]*)\n?$/

interface Stretch {
  /** The fence that is open where the text begins. */
  fence: Fence | undefined
  /** Whether the text begins in the middle of a line, where no marker can stand. */
  cutsLine: boolean
}

/**
 * Chooses where to cut a text that is too long for one message.
 *
 * @param rest Exactly one character more than fits. Nothing behind it is looked at, so that the cut
 *   stays where it is while the text grows.
 * A fence that would be cut goes to the next message as a whole, unless this one begins with it.
 *
 * @returns How much stays in this message, where blanks at its end need no room, and the fence that
 *   is cut. Behind a cut fence there is room for its closing line.
 */
export function chooseCut(
  rest: string,
  { fence, cutsLine }: Stretch,
): { length: number; fence?: Fence } {
  const room = rest.length - 1
  const roomInside = room - CLOSING_CHARS_MAX
  const last = { paragraph: 0, line: 0, word: 0, lineInside: 0 }
  let open = fence
  let openedAt = 0
  let isAfterBlank = false
  // Cut right behind its opening line, a block would be left without code.
  const firstLineEnd = fence ? 0 : rest.indexOf('\n') + 1

  for (const { from, line } of linesOf(rest)) {
    const after = from === 0 && cutsLine ? open : fenceAfter(line, open)
    if (open === undefined) {
      if (from > 0) last.line = from
      if (from > 0 && (isAfterBlank || after !== undefined)) last.paragraph = from
      if (after !== undefined) openedAt = from
      else last.word = Math.max(last.word, lastBlank(line, from, room))
    } else if (after !== undefined && from > firstLineEnd && from <= roomInside) {
      last.lineInside = from
    }
    isAfterBlank = line.trim() === ''
    open = after
  }
  if (open === undefined && rest.endsWith('\n')) last.line = rest.length

  if (open !== undefined && openedAt > 0) return { length: openedAt }
  if (open !== undefined) {
    const isLate = last.lineInside > roomInside / 2
    return { length: isLate ? last.lineInside : withoutHalfPair(rest, roomInside), fence: open }
  }
  const { paragraph, line, word } = last
  const late = [paragraph, line, word].find((length) => length > room / 2)
  return { length: late ?? (Math.max(paragraph, line, word) || withoutHalfPair(rest, room)) }
}

function fenceAfter(line: string, open: Fence | undefined): Fence | undefined {
  const [, marker, info] = MARKER.exec(line) ?? []
  if (marker === undefined || info === undefined) return open
  if (open !== undefined) {
    return marker.startsWith(open.closing) && info.trim() === '' ? undefined : open
  }
  const sign = marker.charAt(0)
  if (sign === '`' ? info.includes(sign) : info.startsWith(sign)) return undefined
  const language = info.trim()
  const opening = language.length > LANGUAGE_CHARS_MAX ? marker : `${marker}${language}`
  return { opening, closing: marker }
}

/** The last blank of a line that words can be parted at, as an index of the whole text; 0 without one. */
function lastBlank(line: string, from: number, room: number): number {
  const within = line.slice(0, room - from + 1)
  for (let index = within.length - 1; index >= 0; index--) {
    if (/\s/.test(within.charAt(index))) return from + index
  }
  return 0
}

function withoutHalfPair(text: string, length: number): number {
  return /[\uD800-\uDBFF]/.test(text.charAt(length - 1)) ? length - 1 : length
}

function* linesOf(text: string): Generator<{ from: number; line: string }> {
  for (let from = 0; from < text.length; ) {
    const lineEnd = text.indexOf('\n', from)
    const to = lineEnd === -1 ? text.length : lineEnd + 1
    yield { from, line: text.slice(from, to) }
    from = to
  }
}
