import type { MessageEntity } from 'grammy/types'
import type { EntityText } from '../content/text.ts'

/** How much of a message clients give up for an end at a line or a word. */
const SLACK = 4

/**
 * Splits a text that is too long for one message as clients do: at the last line end near the limit, else at the
 * last space there, else at the limit. Entities are split with it.
 *
 * @param charsMax Code points of one message.
 */
export function splitText({ text, entities }: EntityText, charsMax: number): EntityText[] {
  const pieces: EntityText[] = []
  for (let start = 0; start < text.length; ) {
    const end = findEnd(text, start, charsMax)
    pieces.push({ text: text.slice(start, end), entities: cutEntities(entities, start, end) })
    start = end
  }
  // What is only spaces shows nothing, and no client sends it.
  return pieces.filter((piece) => piece.text.trim() !== '')
}

/** Counted in UTF-16 units, as everything but the limit itself. */
function findEnd(text: string, start: number, charsMax: number): number {
  let limit = start
  for (let count = 0; count < charsMax && limit < text.length; count++) {
    limit += (text.codePointAt(limit) ?? 0) > 0xffff ? 2 : 1
  }
  if (limit === text.length) return limit
  const nearest = limit - Math.floor((limit - start) / SLACK)
  for (const separator of ['\n', ' ']) {
    const found = text.lastIndexOf(separator, limit - 1)
    if (found >= nearest) return found + 1
  }
  return limit
}

function cutEntities(entities: readonly MessageEntity[], start: number, end: number) {
  return entities.flatMap((entity) => {
    const from = Math.max(entity.offset, start)
    const to = Math.min(entity.offset + entity.length, end)
    return from < to ? [{ ...entity, offset: from - start, length: to - from }] : []
  })
}
