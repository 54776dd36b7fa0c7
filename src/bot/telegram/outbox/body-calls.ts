import type { InlineKeyboardMarkup, InputRichMessage } from 'grammy/types'
import { showMarks, showMarksInMarkdown } from '../../locales/marks.ts'
import { apiSignal, type TelegramApi } from '../api.ts'
import { isRefusal, readFailure } from '../failures.ts'
import type { Body, MarkdownBody, TextBody } from './body.ts'
import type { RichSupport } from './formatting.ts'
import type { AnsweredSource, EditOptions, MessageRef, OutgoingMessage } from './outgoing.ts'

type Calls = TelegramApi['calls']

export async function sendBody(
  calls: Calls,
  message: OutgoingMessage,
  times: RichSupport,
): Promise<number> {
  const { chatId, threadId, keyboard, replyToMessageId, replyHint, isSilent } = message
  const answered = replyTo(replyToMessageId)
  // One user reads it: the one it answers or mentions; in a private chat there is one.
  const isForOne = chatId < 0 || 'reply_parameters' in answered
  const other = {
    ...inThread(threadId),
    ...withKeyboard(keyboard),
    ...(replyHint !== undefined && askingReply(replyHint, isForOne)),
    ...answered,
    ...(isSilent && { disable_notification: true }),
  }
  if ('markdown' in message) {
    return (await calls.sendRichMessage(chatId, toRich(message), other)).message_id
  }
  const sent = await withTimes(times, message, ({ text, options }) =>
    calls.sendMessage(chatId, text, { ...other, ...options }),
  )
  return sent.message_id
}

export async function editBody(
  calls: Calls,
  { chatId, messageId }: MessageRef,
  body: Body,
  { keyboard, signal }: EditOptions,
  times: RichSupport,
): Promise<void> {
  const edit = (text: string | InputRichMessage, options = {}) => {
    const other = { ...withKeyboard(keyboard), ...options }
    return calls.editMessageText(chatId, messageId, text, other, apiSignal(signal))
  }
  if ('markdown' in body) await edit(toRich(body))
  else await withTimes(times, body, ({ text, options }) => edit(text, options))
}

export function inThread(threadId: number | undefined) {
  return threadId ? { message_thread_id: threadId } : {}
}

/** A message that is gone is answered by one that answers none. */
export function replyTo(source: AnsweredSource | undefined) {
  const messageId = typeof source === 'function' ? source() : source
  if (messageId === undefined) return {}
  return { reply_parameters: { message_id: messageId, allow_sending_without_reply: true } }
}

function askingReply(input_field_placeholder: string, selective: boolean) {
  return { reply_markup: { force_reply: true, selective, input_field_placeholder } as const }
}

export function withKeyboard(keyboard: InlineKeyboardMarkup | undefined) {
  return keyboard ? { reply_markup: keyboard } : {}
}

/** Entities that Telegram finds by itself in a model's text may make it refuse the whole text. */
function toRich({ markdown, isRtl }: MarkdownBody) {
  const shown = showMarksInMarkdown(markdown).toWellFormed()
  return { markdown: shown, skip_entity_detection: true, ...(isRtl && { is_rtl: true }) }
}

async function withTimes<T>(
  times: RichSupport,
  body: TextBody,
  call: (plain: ReturnType<typeof toPlain>) => Promise<T>,
): Promise<T> {
  const { text, entities } = showMarks(body)
  const others = entities?.filter(({ type }) => type !== 'date_time')
  const hasTimes = others?.length !== entities?.length
  if (hasTimes && times.isExpected()) {
    try {
      return await call(toPlain(text, entities))
    } catch (error) {
      if (!isRefusal(readFailure(error), 'entityUnknown')) throw error
      times.markMissing()
    }
  }
  return call(toPlain(text, others))
}

function toPlain(text: string, entities: TextBody['entities']) {
  const options = { link_preview_options: { is_disabled: true }, ...(entities && { entities }) }
  return { text: text.toWellFormed(), options }
}
