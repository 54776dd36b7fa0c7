import type {
  ForceReply,
  InlineKeyboardButton,
  InlineKeyboardMarkup,
  ReplyKeyboardMarkup,
  ReplyKeyboardRemove,
} from 'grammy/types'
import { isJsonObject, type JsonObject } from '../../platform/http/json.ts'
import { badRequest } from '../wire/envelope.ts'
import { jsonOf, type Params } from '../wire/params.ts'
import { codePoints } from './text.ts'

const CALLBACK_DATA_BYTES_MAX = 64
const COPY_TEXT_CHARS_MAX = 256
const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/
const STYLES = ['', 'default', 'primary', 'danger', 'success']

/** The actions of a button; of several the first in this order counts. */
const ACTIONS = [
  'url',
  'callback_data',
  'login_url',
  'web_app',
  'switch_inline_query',
  'switch_inline_query_current_chat',
  'switch_inline_query_chosen_chat',
  'callback_game',
  'pay',
  'copy_text',
  'disabled',
] as const

export type ReplyMarkup =
  | InlineKeyboardMarkup
  | ReplyKeyboardMarkup
  | ReplyKeyboardRemove
  | ForceReply

/** The keyboard under the message itself, which is the only one that a message shows to the bot. */
export function inlineOf(markup: ReplyMarkup | undefined): InlineKeyboardMarkup | undefined {
  return markup !== undefined && 'inline_keyboard' in markup ? markup : undefined
}

/**
 * Reads `reply_markup`.
 *
 * @returns `undefined` for no markup, which an inline keyboard without buttons is too.
 */
export function readMarkup(params: Params, opens: OpenedPages): ReplyMarkup | undefined {
  const value = jsonOf(params, 'reply_markup', "can't parse reply keyboard markup JSON object")
  if (value === undefined) return undefined
  if (!isJsonObject(value)) throw badRequest('object expected as reply markup')
  if (value.inline_keyboard !== undefined) return readInlineKeyboard(value, opens)
  if (value.keyboard !== undefined) return readReplyKeyboard(value)
  const selective = value.selective === true && { selective: true }
  if (value.remove_keyboard === true) return { remove_keyboard: true, ...selective }
  if (value.force_reply === true) {
    const { input_field_placeholder: hint } = value
    const hinted = typeof hint === 'string' && hint !== '' && { input_field_placeholder: hint }
    return { force_reply: true, ...selective, ...hinted }
  }
  return undefined
}

/** Checks what only the server can check, once it knows the chat. */
export function checkMarkupInChat(markup: ReplyMarkup | undefined, isPrivate: boolean): void {
  for (const button of inlineOf(markup)?.inline_keyboard.flat() ?? []) {
    if ('callback_data' in button) {
      const size = Buffer.byteLength(button.callback_data)
      if (size > CALLBACK_DATA_BYTES_MAX) throw badRequest('BUTTON_DATA_INVALID')
    }
    if ('web_app' in button && !isPrivate) throw badRequest('BUTTON_TYPE_INVALID')
    if ('copy_text' in button && codePoints(button.copy_text.text) > COPY_TEXT_CHARS_MAX) {
      throw badRequest('BUTTON_COPY_TEXT_INVALID')
    }
  }
}

function readInlineKeyboard(
  value: JsonObject,
  opens: OpenedPages,
): InlineKeyboardMarkup | undefined {
  const rows = readRows(value.inline_keyboard, 'inline_keyboard', 'InlineKeyboardMarkup')
  const keyboard = rows
    .map((row) => row.map((button) => readInlineButton(button, opens)))
    .filter((row) => row.length > 0)
  return keyboard.length > 0 ? { inline_keyboard: keyboard } : undefined
}

function readReplyKeyboard(value: JsonObject): ReplyKeyboardMarkup | undefined {
  const rows = readRows(value.keyboard, 'keyboard', 'ReplyKeyboardMarkup')
  const buttons = rows.flat()
  const texts = buttons.map((button) => (isJsonObject(button) ? button.text : button))
  if (!texts.every((text) => typeof text === 'string')) {
    throw badRequest(`can't parse keyboard button: Can't find field "text"`)
  }
  if (buttons.length === 0) return undefined
  // Its buttons were looked at above; the rest of the fields is for clients alone.
  return { ...value, keyboard: rows } as unknown as ReplyKeyboardMarkup
}

function readRows(value: unknown, field: string, type: string): unknown[][] {
  if (!Array.isArray(value) || !value.every(Array.isArray)) {
    throw badRequest(`field "${field}" of the ${type} must be an Array of Arrays`)
  }
  return value as unknown[][]
}

/** Reads a button with what it does. @throws {ApiError} For one that does nothing, or not what it says. */
export function readInlineButton(value: unknown, opens: OpenedPages): InlineKeyboardButton {
  if (!isJsonObject(value)) throw buttonComplaint('expected an Object')
  if (typeof value.text !== 'string') throw buttonComplaint(`Can't find field "text"`)
  const { text, style = '', icon_custom_emoji_id } = value
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
  if (action === 'copy_text' && !(isJsonObject(target) && typeof target.text === 'string')) {
    throw buttonComplaint('Field "copy_text" must be of type CopyTextButton')
  }
  if (action === 'url') checkUrl(target)
  if (action === 'web_app') {
    const url = isJsonObject(target) ? String(target.url ?? '') : ''
    checkWebAppUrl(url, 'inline keyboard button', opens)
  }
  const button = {
    text,
    ...(style !== '' && style !== 'default' && { style }),
    ...(icon_custom_emoji_id !== undefined && { icon_custom_emoji_id }),
    [action]: target,
  }
  // One known action with its own value: the union cannot be followed through a computed key.
  return button as unknown as InlineKeyboardButton
}

function checkUrl(target: unknown): void {
  const url = String(target)
  const address = /^[a-z][a-z0-9+.-]*:/i.test(url) ? url : `http://${url}`
  if (!URL.canParse(address)) {
    throw badRequest(`inline keyboard button URL '${url}' is invalid: Wrong HTTP URL`)
  }
  if (!/^(https?|tg|ton|tonsite):/i.test(address)) {
    throw badRequest(`inline keyboard button URL '${url}' is invalid: Unsupported URL protocol`)
  }
}

/** The Mini Apps that are opened besides those over https. */
export interface OpenedPages {
  /** True if Mini Apps of this machine are opened over http. */
  opensLocalPages: boolean
}

/** Telegram opens pages over https only; its test environment also those of the machine that its client runs on. */
export function checkWebAppUrl(url: string, what: string, { opensLocalPages }: OpenedPages): void {
  const complaint = (why: string) => badRequest(`${what} Web App URL '${url}' is invalid: ${why}`)
  const { protocol, hostname = '' } = URL.parse(url) ?? {}
  if (protocol === undefined) throw complaint('Wrong HTTP URL')
  const isOpened = opensLocalPages && protocol === 'http:' && LOOPBACK.test(hostname)
  if (protocol !== 'https:' && !isOpened) throw complaint('Only HTTPS links are allowed')
}

function buttonComplaint(why: string) {
  return badRequest(`can't parse inline keyboard button: ${why}`)
}
