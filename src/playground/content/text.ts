import type { MessageEntity } from 'grammy/types'
import { badRequest } from '../wire/envelope.ts'

export const TEXT_CHARS_MAX = 4_096
export const CAPTION_CHARS_MAX = 1_024

const FORMATTING_ENTITIES_MAX = 100

export interface EntityText {
  text: string
  entities: MessageEntity[]
}

/** Length as Telegram's limits count it. */
export function codePoints(text: string): number {
  let count = 0
  for (const _ of text) count++
  return count
}

/**
 * Cleans a text the way Telegram does before it stores it: control characters become spaces, carriage
 * returns and direction marks go, the ends are trimmed, entities move along.
 *
 * @returns An empty text if nothing but white space was there.
 * @throws {ApiError} If an entity does not fit the text.
 */
export function cleanText({ text, entities }: EntityText): EntityText {
  if (!text.isWellFormed()) throw badRequest('Strings must be encoded in UTF-8')
  const sorted = entities.toSorted((a, b) => a.offset - b.offset || b.length - a.length)
  checkBounds(text, sorted)
  const { cleaned, offsets } = replaceCharacters(text)
  const moved = sorted.map((entity) => {
    const end = offsets[entity.offset + entity.length] ?? 0
    return span(entity, offsets[entity.offset] ?? 0, end)
  })
  const trimmed = trim(cleaned, moved)
  let formatting = 0
  const kept = trimmed.entities.filter(
    ({ type }) => type === 'custom_emoji' || ++formatting <= FORMATTING_ENTITIES_MAX,
  )
  return { text: trimmed.text, entities: kept }
}

function checkBounds(text: string, entities: readonly MessageEntity[]): void {
  for (const { offset, length } of entities) {
    if (offset < 0) throw badRequest(`Receive an entity with incorrect offset ${offset}`)
    if (length < 0) throw badRequest(`Receive an entity with incorrect length ${length}`)
  }
  for (const { offset, length } of entities) {
    const end = offset + length
    if (offset > text.length) {
      throw badRequest(`Entity begins after the end of the text at UTF-16 offset ${offset}`)
    }
    if (isInsidePair(text, offset)) {
      const byte = Buffer.byteLength(text.slice(0, offset - 1)) + 4
      throw badRequest(`Entity begins in a middle of a UTF-16 symbol at byte offset ${byte}`)
    }
    if (end > text.length) {
      throw badRequest(
        `Entity beginning at UTF-16 offset ${offset} ends after the end of the text at UTF-16 offset ${end}`,
      )
    }
    if (isInsidePair(text, end)) {
      const byte = Buffer.byteLength(text.slice(0, end - 1)) + 4
      throw badRequest(
        `Entity beginning at UTF-16 offset ${offset} ends in a middle of a UTF-16 symbol at byte offset ${byte}`,
      )
    }
  }
}

function isInsidePair(text: string, index: number): boolean {
  const unit = text.charCodeAt(index)
  return unit >= 0xdc00 && unit <= 0xdfff
}

/** `offsets[i]` is where the character at `i` went. */
function replaceCharacters(text: string): { cleaned: string; offsets: Int32Array } {
  const offsets = new Int32Array(text.length + 1)
  let cleaned = ''
  for (let index = 0; index < text.length; index++) {
    offsets[index] = cleaned.length
    const unit = text.charCodeAt(index)
    if (isDropped(unit)) continue
    cleaned += unit <= 32 && unit !== 10 ? ' ' : text.charAt(index)
  }
  offsets[text.length] = cleaned.length
  return { cleaned, offsets }
}

/** Carriage return, line and direction separators, and three combining marks that deface clients. */
function isDropped(unit: number): boolean {
  if (unit === 13 || (unit >= 0x2028 && unit <= 0x202e)) return true
  return unit === 0x0333 || unit === 0x033f || unit === 0x030a
}

function span(entity: MessageEntity, start: number, end: number): MessageEntity {
  return { ...entity, offset: start, length: end - start }
}

function trim(text: string, entities: readonly MessageEntity[]): EntityText {
  const end = text.trimEnd().length
  const firstEntity = entities.find((entity) => entity.length > 0)?.offset ?? text.length
  let start = 0
  while (start < firstEntity && start < end && /[ \n]/.test(text.charAt(start))) start++
  const kept = entities
    .map((entity) => {
      const from = Math.min(entity.offset, end)
      return span(entity, from - start, Math.min(entity.offset + entity.length, end) - start)
    })
    .filter((entity) => entity.length > 0)
    .filter(({ offset, length }) => text.slice(offset + start, offset + start + length).trim())
  return { text: text.slice(start, end), entities: kept }
}
