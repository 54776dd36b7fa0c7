import type { ForceReply, InlineKeyboardButton, InlineKeyboardMarkup } from 'grammy/types'
import { isJsonObject, type JsonObject } from '../../platform/http/json.ts'
import { badRequest } from '../wire/envelope.ts'
import { jsonOf, type Params } from '../wire/params.ts'

const CALLBACK_DATA_BYTES_MAX = 64
const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/
const STYLES = ['', 'default', 'primary', 'danger', 'success']
/** The actions of a button; of several the first in this order counts. */
const ACTIONS = ['url', 'callback_data', 'web_app'] as const

export type ReplyMarkup = InlineKeyboardMarkup | ForceReply

/** The keyboard under the message itself: bots are shown no other markup. */
export function inlineOf(markup: ReplyMarkup | undefined): InlineKeyboardMarkup | undefined {
  return markup !== undefined && 'inline_keyboard' in markup ? markup : undefined
}

/** Reads `reply_markup`; an inline keyboard without buttons counts as no markup. */
export function readMarkup(params: Params): ReplyMarkup | undefined {
  const value = jsonOf(params, 'reply_markup', "can't parse reply keyboard markup JSON object")
  if (value === undefined) return undefined
  if (!isJsonObject(value)) throw badRequest('object expected as reply markup')
  if (value.inline_keyboard !== undefined) return readInlineKeyboard(value)
  if (value.force_reply !== true) return undefined
  const { selective, input_field_placeholder: hint } = value
  const hinted = typeof hint === 'string' && hint !== '' && { input_field_placeholder: hint }
  return { force_reply: true, ...(selective === true && { selective: true }), ...hinted }
}

export function checkMarkupInChat(markup: ReplyMarkup | undefined, isPrivate: boolean): void {
  for (const button of inlineOf(markup)?.inline_keyboard.flat() ?? []) {
    if ('callback_data' in button) {
      const size = Buffer.byteLength(button.callback_data)
      if (size > CALLBACK_DATA_BYTES_MAX) throw badRequest('BUTTON_DATA_INVALID')
    }
    if ('web_app' in button && !isPrivate) throw badRequest('BUTTON_TYPE_INVALID')
  }
}

function readInlineKeyboard({ inline_keyboard: rows }: JsonObject) {
  if (!Array.isArray(rows) || !rows.every(Array.isArray)) {
    throw badRequest(
      'field "inline_keyboard" of the InlineKeyboardMarkup must be an Array of Arrays',
    )
  }
  const keyboard = (rows as unknown[][])
    .map((row) => row.map(readInlineButton))
    .filter((row) => row.length > 0)
  return keyboard.length > 0 ? { inline_keyboard: keyboard } : undefined
}

function readInlineButton(value: unknown): InlineKeyboardButton {
  if (!isJsonObject(value)) throw buttonComplaint('expected an Object')
  if (typeof value.text !== 'string') throw buttonComplaint(`Can't find field "text"`)
  const { text, style = '' } = value
  if (typeof style !== 'string' || !STYLES.includes(style)) {
    throw buttonComplaint('invalid button style specified')
  }
  const action = ACTIONS.find((name) => value[name] !== undefined && value[name] !== '')
  if (action === undefined) {
    throw buttonComplaint('Text buttons are unallowed in the inline keyboard')
  }
  if (text.trim() === '') throw badRequest('inline keyboard button text must be non-empty')
  const target = value[action]
  if (action === 'callback_data' && typeof target !== 'string') {
    throw buttonComplaint('Field "callback_data" must be of type String')
  }
  if (action === 'url') checkUrl(String(target))
  if (action === 'web_app') {
    checkWebAppUrl(isJsonObject(target) ? String(target.url ?? '') : '', 'inline keyboard button')
  }
  const button = {
    text,
    ...(style !== '' && style !== 'default' && { style }),
    [action]: target,
  }
  // One known action with its own value: the union cannot be followed through a computed key.
  return button as unknown as InlineKeyboardButton
}

function checkUrl(url: string): void {
  const address = /^[a-z][a-z0-9+.-]*:/i.test(url) ? url : `http://${url}`
  if (!URL.canParse(address)) {
    throw badRequest(`inline keyboard button URL '${url}' is invalid: Wrong HTTP URL`)
  }
  if (!/^(https?|tg|ton|tonsite):/i.test(address)) {
    throw badRequest(`inline keyboard button URL '${url}' is invalid: Unsupported URL protocol`)
  }
}

/** Accepts https, and http on this machine as Telegram's test environment does. */
export function checkWebAppUrl(url: string, what: string): void {
  const complaint = (why: string) => badRequest(`${what} Web App URL '${url}' is invalid: ${why}`)
  const { protocol, hostname = '' } = URL.parse(url) ?? {}
  if (protocol === undefined) throw complaint('Wrong HTTP URL')
  const isLocal = protocol === 'http:' && LOOPBACK.test(hostname)
  if (protocol !== 'https:' && !isLocal) throw complaint('Only HTTPS links are allowed')
}

function buttonComplaint(why: string) {
  return badRequest(`can't parse inline keyboard button: ${why}`)
}
