import { chooseCut, type Fence } from './text-cuts.ts'

/** Longest text of a message in UTF-16 units. Telegram counts code points, so this is always safe. */
export const MESSAGE_CHARS_MAX = 4096

/** What one message shows of a longer text. */
export interface TextPart {
  /** The stretch of the source that it stands for: from `start` up to, not with, `end`. */
  start: number
  end: number
  /** What the message shows: the stretch trimmed, a cut code fence opened before it and closed behind it. */
  text: string
  /** The fence that goes on in the next part. */
  fence?: Fence
  /** Whether the next part begins in the middle of a line. */
  cutsLine: boolean
}

/**
 * Cuts a text into messages: between paragraphs, else lines, else words.
 *
 * A code fence stays whole if it fits into one message; one that does not is closed at the cut and
 * opened again in the next message. Parts follow each other without a gap from the first character
 * to the last. While a text grows only its last part changes: where an earlier one ends was decided
 * by what stands before the cut and just behind it.
 *
 * @param after The last part known to stay: cutting goes on behind it, and the parts behind it are
 *   returned. This keeps the cost of a growing text at the cost of its last part.
 * @returns No part for a blank text.
 */
export function splitText(
  source: string,
  { charsMax = MESSAGE_CHARS_MAX, after }: { charsMax?: number; after?: TextPart } = {},
): TextPart[] {
  const parts: TextPart[] = []
  let last = after
  for (;;) {
    const part = nextPart(source, last, charsMax)
    if (part === undefined) break
    parts.push(part)
    last = part
    if (part.end === source.length) break
  }
  return parts
}

function nextPart(
  source: string,
  last: TextPart | undefined,
  charsMax: number,
): TextPart | undefined {
  const start = last?.end ?? 0
  const fence = last?.fence
  const firstInk = skipBlanks(source, start)
  if (firstInk === source.length) return undefined
  // Telegram cuts blanks off at both ends; behind an opened fence they are part of the code.
  const textStart = fence ? start : firstInk
  const opening = fence ? `${fence.opening}\n` : ''
  const room = charsMax - opening.length
  if (fits(source, textStart, room)) {
    const text = `${opening}${source.slice(textStart).trimEnd()}`
    return { start, end: source.length, text, cutsLine: false }
  }

  const cutsLine = (last?.cutsLine ?? false) && !source.slice(start, textStart).includes('\n')
  const rest = source.slice(textStart, textStart + room + 1)
  const cut = chooseCut(rest, { fence, cutsLine })
  const stretch = rest.slice(0, cut.length)
  const open = cut.fence
  return {
    start,
    end: textStart + cut.length,
    text: `${opening}${open ? `${stretch.replace(/\n$/, '')}\n${open.closing}` : stretch.trimEnd()}`,
    ...(open && { fence: open }),
    cutsLine: !stretch.endsWith('\n'),
  }
}

/** Whether everything from `start` on, blanks at the end aside, fits. */
function fits(source: string, start: number, room: number): boolean {
  return source.length - start <= room || source.slice(start + room).trim() === ''
}

function skipBlanks(source: string, start: number): number {
  const found = source.slice(start).search(/\S/)
  return found === -1 ? source.length : start + found
}
