import type { MessageEntity } from 'grammy/types'
import { characterStart, skipBlankLines } from './characters.ts'
import { type FormattedText, slice } from './entities.ts'

/** Telegram drops the formatting of a message that has more. */
const ENTITIES_MAX = 100

/**
 * Cuts a text with its formatting into messages: between paragraphs, else lines, else words. Formatting
 * that is cut goes on in the next message, and so do the blanks in code at which it is cut, but for one
 * line end.
 *
 * Only the text before a cut and right after it decides where it is: while a text grows only its last
 * part changes.
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
  let start = startAfter(0, { text, entities })
  while (start < text.length) {
    const end = chooseEnd(text, entities, { start, charsMax })
    // Telegram cuts blanks off at both ends: offsets count from the first sign.
    const shown = start + text.slice(start, end).trimEnd().length
    const part = slice({ text, entities }, start, shown)
    parts.push({ ...part, entities: part.entities.slice(0, ENTITIES_MAX) })
    start = startAfter(isInCode(entities, shown) ? shown : end, { text, entities })
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
  // Of too much formatting that begins with the message, Telegram drops the last.
  const length = limit > start ? limit - start : Math.min(charsMax, text.length - start)
  if (start + length >= text.length || text.slice(start + length).trim() === '') return text.length
  const rest = text.slice(start, start + length + 1)
  const cuts = ['\n\n', '\n', ' '].map((separator) => rest.lastIndexOf(separator, length))
  const cut = cuts.find((at) => at > length / 2) ?? Math.max(...cuts)
  if (cut > 0) return start + cut
  return characterStart(text, start + length, start)
}

/**
 * Finds where the next message begins: blanks at which a text is cut are skipped, but blanks in front of a line
 * are a part of it.
 */
function startAfter(from: number, { text, entities }: FormattedText): number {
  if (text.slice(from).trim() === '') return text.length
  if (isInCode(entities, from)) return text.charAt(from) === '\n' ? from + 1 : from
  const code = entities.find((entity) => isCode(entity) && entity.offset >= from)
  const start = skipBlankLines(text, from)
  const isBlank = start === from && text.charAt(from) === ' '
  return Math.min(isBlank ? from + 1 : start, code?.offset ?? text.length)
}

/** Checks whether code stands on both sides of the index. Telegram keeps the blanks that code begins with. */
function isInCode(entities: readonly MessageEntity[], at: number): boolean {
  return entities.some(
    (entity) => isCode(entity) && entity.offset < at && at < entity.offset + entity.length,
  )
}

function isCode({ type }: MessageEntity): boolean {
  return type === 'pre' || type === 'code'
}
