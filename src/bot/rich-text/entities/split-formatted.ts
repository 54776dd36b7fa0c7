import type { MessageEntity } from 'grammy/types'
import { isFirstHalf } from '../parse/characters.ts'
import type { FormattedText } from './formatted-text.ts'

/** Telegram drops the formatting of a message that has more. */
const ENTITIES_MAX = 100

/**
 * Cuts a text with its formatting into messages: between paragraphs, else lines, else words. What is
 * cut goes on in the next message.
 *
 * Where a message ends is decided by what stands before the cut and just behind it: while a text
 * grows only its last part changes.
 *
 * @returns No part for a blank text.
 */
export function splitFormatted(
  whole: FormattedText,
  { charsMax }: { charsMax: number },
): FormattedText[] {
  const { text } = whole
  const entities = whole.entities.toSorted((a, b) => a.offset - b.offset)
  const parts: FormattedText[] = []
  let start = skipBlanks(text, 0)
  while (start < text.length) {
    const end = chooseEnd(text, entities, { start, charsMax })
    parts.push(cutOut({ text, entities }, start, end))
    start = skipBlanks(text, end)
  }
  return parts
}

function chooseEnd(
  text: string,
  entities: readonly MessageEntity[],
  { start, charsMax }: { start: number; charsMax: number },
): number {
  const shown = entities.filter(({ offset, length }) => offset + length > start)
  const limit = Math.min(start + charsMax, shown[ENTITIES_MAX]?.offset ?? text.length)
  // Formatting that begins where the message does cannot all be kept: Telegram drops the last of it.
  const room = limit > start ? limit - start : Math.min(charsMax, text.length - start)
  if (start + room >= text.length || text.slice(start + room).trim() === '') return text.length
  const rest = text.slice(start, start + room + 1)
  const cuts = ['\n\n', '\n', ' '].map((separator) => rest.lastIndexOf(separator, room))
  const cut = cuts.find((at) => at > room / 2) ?? Math.max(...cuts)
  if (cut > 0) return start + cut
  const splitsPair = room > 1 && isFirstHalf(rest.charAt(room - 1))
  return start + (splitsPair ? room - 1 : room)
}

/** Telegram cuts blanks off at both ends: offsets count from the first sign. */
function cutOut({ text, entities }: FormattedText, start: number, end: number): FormattedText {
  const shown = text.slice(start, end).trimEnd()
  const inside = entities.flatMap((entity) => {
    const offset = Math.max(entity.offset, start) - start
    const length = Math.min(entity.offset + entity.length - start, shown.length) - offset
    return length > 0 ? [{ ...entity, offset, length }] : []
  })
  return { text: shown, entities: inside.slice(0, ENTITIES_MAX) }
}

/** Blanks at the start of a line of code are a part of it: only whole blank lines are skipped. */
function skipBlanks(text: string, from: number): number {
  let start = from
  for (let at = from; at < text.length && text.charAt(at).trim() === ''; at++) {
    if (text.charAt(at) === '\n' || at + 1 === text.length) start = at + 1
  }
  if (start > from || text.charAt(from) !== ' ') return start
  return from + 1
}
