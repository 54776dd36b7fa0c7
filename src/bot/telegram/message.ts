import type { InlineKeyboardMarkup, InputRichMessage, MessageEntity } from 'grammy/types'
import { showMarks, showMarksInMarkdown } from '../texts/marks.ts'
import { apiSignal, type TelegramApi } from './api.ts'
import { isRefusal, readFailure } from './errors.ts'
import type { MessageFormat } from './formatting.ts'

/** Longest text of a message in UTF-16 units. Telegram counts code points, so this is always safe. */
export const MESSAGE_CHARS_MAX = 4096

export type Body = TextBody | MarkdownBody

export interface TextBody {
  /** 1 to `MESSAGE_CHARS_MAX` characters once trimmed. */
  text: string
  /** Formatting, in UTF-16 units of the text as it is given. */
  entities?: MessageEntity[] | undefined
}

export interface MarkdownBody {
  /** Telegram's own Markdown, 1 to 32,768 characters once it is rendered. */
  markdown: string
  isRtl?: boolean | undefined
}

export type FormattedBody = (format: MessageFormat) => Body

/** A function is called for the newest body at the turn of the call. A string is plain text. */
export type BodySource = string | Body | (() => string | Body)

export interface Destination {
  chatId: number
  threadId?: number | undefined
}

export interface Extras {
  /** A function is called at the turn of the call. */
  replyToMessageId?: number | (() => number | undefined) | undefined
  keyboard?: InlineKeyboardMarkup | undefined
  isSilent?: true
}

/** Link previews are off. */
export type OutgoingMessage = Destination & Extras & Body

export interface MessageRef {
  chatId: number
  messageId: number
}

type Calls = TelegramApi['calls']

export function toBody(source: BodySource): Body {
  const body = typeof source === 'function' ? source() : source
  return typeof body === 'string' ? { text: body } : body
}

export async function sendBody(calls: Calls, message: OutgoingMessage): Promise<number> {
  const { chatId, keyboard, isSilent } = message
  const other = {
    ...placeOf(message),
    ...withKeyboard(keyboard),
    ...(isSilent && { disable_notification: true }),
  }
  if ('markdown' in message) {
    return (await calls.sendRichMessage(chatId, toRich(message), other)).message_id
  }
  const sent = await withTimes(message, ({ text, options }) =>
    calls.sendMessage(chatId, text, { ...other, ...options }),
  )
  return sent.message_id
}

export async function editBody(
  calls: Calls,
  { chatId, messageId }: MessageRef,
  body: Body,
  look: { keyboard: InlineKeyboardMarkup | undefined; signal: AbortSignal | undefined },
): Promise<void> {
  const edit = (text: string | InputRichMessage, options = {}) => {
    const other = { ...withKeyboard(look.keyboard), ...options }
    return calls.editMessageText(chatId, messageId, text, other, apiSignal(look.signal))
  }
  if ('markdown' in body) await edit(toRich(body))
  else await withTimes(body, ({ text, options }) => edit(text, options))
}

export function placeOf({
  threadId,
  replyToMessageId,
}: Pick<OutgoingMessage, 'threadId'> & Extras) {
  const messageId = typeof replyToMessageId === 'function' ? replyToMessageId() : replyToMessageId
  const answered = messageId && { message_id: messageId, allow_sending_without_reply: true }
  return {
    ...(threadId && { message_thread_id: threadId }),
    ...(answered && { reply_parameters: answered }),
  }
}

export function withKeyboard(keyboard: InlineKeyboardMarkup | undefined) {
  return keyboard ? { reply_markup: keyboard } : {}
}

/** Entities that Telegram finds by itself in a model's text may make it refuse the whole text. */
function toRich({ markdown, isRtl }: MarkdownBody) {
  const shown = showMarksInMarkdown(markdown).toWellFormed()
  return { markdown: shown, skip_entity_detection: true, ...(isRtl && { is_rtl: true }) }
}

/** A server that does not know the entities of times receives the text without them. */
async function withTimes<T>(
  body: TextBody,
  call: (plain: ReturnType<typeof toPlain>) => Promise<T>,
): Promise<T> {
  const { text, entities } = showMarks(body)
  try {
    return await call(toPlain(text, entities))
  } catch (error) {
    const others = entities?.filter(({ type }) => type !== 'date_time')
    const hasTimes = others?.length !== entities?.length
    if (!hasTimes || !isRefusal(readFailure(error), 'formatting')) throw error
    return call(toPlain(text, others))
  }
}

function toPlain(text: string, entities: TextBody['entities']) {
  const options = { link_preview_options: { is_disabled: true }, ...(entities && { entities }) }
  return { text: text.toWellFormed(), options }
}
