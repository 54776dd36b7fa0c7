import type { RichText } from 'grammy/types'
import type { OpenedPages } from '../../content/markup.ts'
import { badRequest } from '../../wire/envelope.ts'
import { detectAll } from '../detect.ts'
import { toEmoji, toLink, toTime } from '../links.ts'
import { joinText } from '../rich-text.ts'
import { type Fields, openFields } from './fields.ts'
import { readButton } from './read-button.ts'

export interface TextOptions {
  /** Leaves plain links, mentions and commands alone. */
  skipEntityDetection: boolean
  opens: OpenedPages
}

/** The types that only change the looks; entities found in a text reach into them, but not into code. */
const STYLES = [
  'bold',
  'italic',
  'underline',
  'strikethrough',
  'spoiler',
  'subscript',
  'superscript',
  'marked',
] as const

/** Reads a `RichText`: a string, a list of them, or a stretch by its type. Plain neighbours are merged. */
export function readText(value: unknown, options: TextOptions): RichText {
  if (typeof value === 'string') {
    if (!value.isWellFormed()) throw badRequest('Strings must be encoded in UTF-8')
    return options.skipEntityDetection ? value : detectAll(value)
  }
  if (Array.isArray(value)) return joinText(value.map((part) => readText(part, options)))
  const fields = openFields(value, 'RichText')
  return readRun(fields, options)
}

function readRun(fields: Fields, options: TextOptions): RichText {
  const type = fields.text('type')
  const style = STYLES.find((known) => known === type)
  if (style) return { type: style, text: readText(fields.any('text'), options) }
  const text = () => readText(fields.any('text'), { ...options, skipEntityDetection: true })
  switch (type) {
    case 'code':
      return { type, text: text() }
    case 'date_time':
      return toTime(
        text(),
        String(fields.integer('unix_time')),
        fields.optionalText('date_time_format'),
      )
    case 'text_mention':
      return { type, text: text(), user: readUser(fields.any('user')) }
    case 'custom_emoji':
      return toEmoji(fields.text('alternative_text'), fields.text('custom_emoji_id'))
    case 'mathematical_expression':
      return { type, expression: fields.text('expression') }
    case 'url':
      return toLink(text(), fields.text('url'))
    case 'email_address':
      return toLink(text(), `mailto:${fields.text('email_address')}`)
    case 'phone_number':
      return toLink(text(), `tel:${fields.text('phone_number')}`)
    case 'bank_card_number':
      return {
        type,
        text: text(),
        bank_card_number: matching(fields, type, /^\d(?:[ -]?\d){12,18}$/),
      }
    case 'mention':
      return { type, text: text(), username: matching(fields, 'username', /^@?[a-z]\w{2,31}$/i) }
    case 'hashtag':
      return { type, text: text(), hashtag: matching(fields, type, /^#?[\p{L}\p{N}_]{1,256}$/u) }
    case 'cashtag':
      return { type, text: text(), cashtag: matching(fields, type, /^\$?[A-Z0-9]{1,8}$/) }
    case 'bot_command':
      return {
        type,
        text: text(),
        bot_command: matching(fields, type, /^\/?\w{1,64}(@\w{3,32})?$/),
      }
    case 'button': {
      const readPlain = (inside: unknown) =>
        readText(inside, { ...options, skipEntityDetection: true })
      return { type, button: readButton(fields.any('button'), readPlain, options.opens) }
    }
    case 'anchor':
      return { type, name: fields.text('name') }
    case 'anchor_link':
      return { type, text: text(), anchor_name: fields.text('anchor_name') }
    case 'reference':
      return { type, text: text(), name: fields.text('name') }
    case 'reference_link':
      return { type, text: text(), reference_name: fields.text('reference_name') }
    default:
      throw fields.complain(`type "${type}" is unsupported`)
  }
}

/** @throws {ApiError} `RICH_MESSAGE_…_INVALID`, named after the kind of stretch, for what is none. */
function matching(fields: Fields, name: string, pattern: RegExp): string {
  const value = fields.text(name)
  const kind = name === 'username' ? 'MENTION' : name.replace(/_number$/, '').toUpperCase()
  if (!pattern.test(value)) throw badRequest(`RICH_MESSAGE_${kind}_INVALID`)
  return value
}

/** Telegram knows a user by the id alone; here the name is the one that was given. */
function readUser(value: unknown) {
  const user = openFields(value, 'User')
  return { id: user.integer('id'), is_bot: false, first_name: user.optionalText('first_name') }
}
