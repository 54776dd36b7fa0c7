import type { InlineKeyboardMarkup } from 'grammy/types'
import { showCodes } from '../../locales/codes.ts'
import { apiSignal, type TelegramApi } from '../api.ts'
import type { Body, MarkdownBody, TextBody } from './body.ts'
import type {
  AnsweredSource,
  DraftFrame,
  EditOptions,
  MessageRef,
  OutgoingMessage,
} from './outgoing.ts'

type Calls = TelegramApi['calls']

/** @returns The id of the new message. */
export async function sendBody(calls: Calls, message: OutgoingMessage): Promise<number> {
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
  const { text, options } = toPlain(message)
  return (await calls.sendMessage(chatId, text, { ...other, ...options })).message_id
}

export async function editBody(
  calls: Calls,
  { chatId, messageId }: MessageRef,
  body: Body,
  { keyboard, signal }: EditOptions,
): Promise<void> {
  const { text, options } = 'markdown' in body ? { text: toRich(body), options: {} } : toPlain(body)
  const other = { ...withKeyboard(keyboard), ...options }
  await calls.editMessageText(chatId, messageId, text, other, apiSignal(signal))
}

/** The draft has a button that stops it: an update `stopped_message_generation` with its id. */
export async function draftBody(
  calls: Calls,
  { chatId, threadId, draftId }: DraftFrame,
  body: Body,
  signal: AbortSignal | undefined,
): Promise<void> {
  // A stopped draft stays in view until a message replaces it.
  const other = { ...inThread(threadId), can_stop: true, keep_on_stop: true }
  if ('markdown' in body) {
    await calls.sendRichMessageDraft(chatId, draftId, toRich(body), other, apiSignal(signal))
  } else {
    const options = { ...other, ...(body.entities && { entities: body.entities }) }
    const text = body.text.toWellFormed()
    await calls.sendMessageDraft(chatId, draftId, text, options, apiSignal(signal))
  }
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
function toRich({ markdown }: MarkdownBody) {
  return { markdown: markdown.toWellFormed(), skip_entity_detection: true }
}

/** Link previews are off. */
function toPlain(body: TextBody) {
  const { text, entities } = showCodes(body)
  const options = { link_preview_options: { is_disabled: true }, ...(entities && { entities }) }
  return { text: text.toWellFormed(), options }
}
