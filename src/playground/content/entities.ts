import type { MessageEntity, User } from 'grammy/types'
import { isJsonObject, type JsonObject } from '../../platform/http/json.ts'
import { badRequest } from '../wire/envelope.ts'
import { jsonOf, type Params, textOf } from '../wire/params.ts'
import type { EntityText } from './text.ts'

const TEXT_BYTES_MAX = 32_768

const PLAIN_TYPES = [
  'bold',
  'italic',
  'underline',
  'strikethrough',
  'spoiler',
  'blockquote',
  'expandable_blockquote',
  'code',
] as const

/** Telegram finds these in the text by itself and ignores them when they are given. */
const FOUND_TYPES = [
  'mention',
  'hashtag',
  'cashtag',
  'bot_command',
  'url',
  'email',
  'phone_number',
  'bank_card_number',
]

/** Entities found in a text do not reach into these. */
const CLOSED_TYPES = ['code', 'pre', 'text_link', 'text_mention']

/**
 * Reads a text or caption with its entities, before it is cleaned.
 *
 * @throws {ApiError} For a text of too many bytes, and for an invalid entity.
 */
export function readFormatted(params: Params, name: 'text' | 'caption'): EntityText {
  const text = textOf(params, name)
  if (Buffer.byteLength(text) > TEXT_BYTES_MAX) throw badRequest('text is too long')
  const parameter = name === 'text' ? 'entities' : 'caption_entities'
  const given = jsonOf(params, parameter, "can't parse entities JSON object")
  return { text, entities: toEntities(given) }
}

/** Reads entities from parsed JSON. @throws {ApiError} For an invalid entity. */
export function toEntities(value: unknown): MessageEntity[] {
  return Array.isArray(value) ? value.flatMap((item: unknown) => parseEntity(item) ?? []) : []
}

function parseEntity(item: unknown): MessageEntity | undefined {
  if (!isJsonObject(item)) throw complaint('expected an Object')
  const offset = intField(item, 'offset')
  const length = intField(item, 'length')
  const type = textField(item, 'type')
  if (FOUND_TYPES.includes(type) || length === 0) return undefined
  const plain = PLAIN_TYPES.find((known) => known === type)
  if (plain) return { type: plain, offset, length }
  switch (type) {
    case 'pre': {
      const language = typeof item.language === 'string' ? item.language : ''
      return { type, offset, length, ...(language && { language }) }
    }
    case 'text_mention':
      return { type, offset, length, user: userField(item) }
    case 'text_link':
      return { type, offset, length, url: textField(item, 'url') }
    case 'date_time': {
      const unix_time = intField(item, 'unix_time')
      // The server does not check the format.
      const format = String(item.date_time_format ?? '')
      const date_time_format = format as MessageEntity.DateTimeMessageEntity['date_time_format']
      return { type, offset, length, unix_time, date_time_format }
    }
    default:
      throw complaint('unsupported type specified')
  }
}

/** Telegram knows a user by the id alone; here the name is the given one. */
function userField(item: JsonObject): User {
  const user = fieldOf(item, 'user')
  if (!isJsonObject(user)) throw complaint('Field "user" must be of type Object')
  return { id: intField(user, 'id'), is_bot: false, first_name: String(user.first_name ?? '') }
}

function intField(item: JsonObject, name: string): number {
  const value = fieldOf(item, name)
  const parsed = typeof value === 'string' ? Number(value) : value
  if (!Number.isInteger(parsed)) throw complaint(`Field "${name}" must be a valid Number`)
  return parsed as number
}

function textField(item: JsonObject, name: string): string {
  const value = fieldOf(item, name)
  if (typeof value !== 'string') throw complaint(`Field "${name}" must be of type String`)
  return value
}

function fieldOf(item: JsonObject, name: string): unknown {
  if (item[name] === undefined) throw complaint(`Can't find field "${name}"`)
  return item[name]
}

function complaint(why: string) {
  return badRequest(`can't parse MessageEntity: ${why}`)
}

/** Adds the entities that Telegram finds in every cleaned text, of people and of bots. */
export function addFound({ text, entities }: EntityText): EntityText {
  const closed = entities.filter(({ type }) => CLOSED_TYPES.includes(type))
  const found = findEntities(text).filter(
    ({ offset, length }) =>
      !closed.some(
        (entity) => offset < entity.offset + entity.length && entity.offset < offset + length,
      ),
  )
  if (found.length === 0) return { text, entities }
  return { text, entities: [...entities, ...found].toSorted((a, b) => a.offset - b.offset) }
}

export function findEntities(text: string): MessageEntity[] {
  const found: MessageEntity[] = []
  collect('url', /https?:\/\/[^\s<>"]+[^\s<>".,;:!?)]/gu)
  collect('bot_command', /(?<![\p{L}\p{N}_/<>])\/\w{1,64}(?:@\w{3,32})?(?![\p{L}\p{N}_/<>])/gu)
  collect('mention', /(?<![\p{L}\p{N}_@/])@[a-zA-Z]\w{2,31}(?!\w)/gu)
  return found.toSorted((a, b) => a.offset - b.offset)

  function collect(type: 'url' | 'bot_command' | 'mention', pattern: RegExp): void {
    for (const { 0: match, index } of text.matchAll(pattern)) {
      const isTaken = found.some(
        ({ offset, length }) => index < offset + length && offset < index + match.length,
      )
      if (!isTaken) found.push({ type, offset: index, length: match.length })
    }
  }
}
