import type { InputRichMessage, MessageEntity } from 'grammy/types'
import { apiSignal, type TelegramApi } from '../api.ts'

/** Longest text of a message in UTF-16 units. Telegram counts code points, so this is always safe. */
export const MESSAGE_CHARS_MAX = 4096

/** What a message says: plain text with formatting beside it, or Markdown for a rich message. */
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
}

/** A body, or what is asked for the newest one when the call's turn comes. A string is plain text. */
export type BodySource = string | Body | (() => string | Body)

/** Where a new message goes. */
export interface Destination {
  chatId: number
  threadId?: number | undefined
}

type Calls = Pick<TelegramApi, 'calls'>['calls']

/** Everything is shown as it is written: link previews are off. */
const NO_PREVIEW = { link_preview_options: { is_disabled: true } }

export function toBody(source: BodySource): Body {
  const body = typeof source === 'function' ? source() : source
  return typeof body === 'string' ? { text: body } : body
}

/** @returns The id of the new message. */
export async function sendBody(
  calls: Calls,
  { chatId, threadId }: Destination,
  body: Body,
  extras: Pick<Parameters<Calls['sendMessage']>[2] & object, 'reply_markup' | 'reply_parameters'>,
): Promise<number> {
  const other = { ...extras, ...(threadId && { message_thread_id: threadId }) }
  const sent =
    'markdown' in body
      ? await calls.sendRichMessage(chatId, toRich(body), other)
      : await calls.sendMessage(chatId, body.text.toWellFormed(), {
          ...other,
          ...textOptions(body),
        })
  return sent.message_id
}

export async function editBody(
  calls: Calls,
  { chatId, messageId }: { chatId: number; messageId: number },
  body: Body,
  {
    signal,
    ...extras
  }: Pick<Parameters<Calls['editMessageText']>[3] & object, 'reply_markup'> & {
    signal: AbortSignal | undefined
  },
): Promise<void> {
  if ('markdown' in body) {
    await calls.editMessageText(chatId, messageId, toRich(body), extras, apiSignal(signal))
  } else {
    const other = { ...extras, ...textOptions(body) }
    const text = body.text.toWellFormed()
    await calls.editMessageText(chatId, messageId, text, other, apiSignal(signal))
  }
}

export async function draftBody(
  calls: Calls,
  { chatId, threadId, draftId }: Destination & { draftId: number },
  body: Body,
  {
    signal,
    ...extras
  }: { can_stop: boolean; keep_on_stop: boolean; signal: AbortSignal | undefined },
): Promise<void> {
  const other = { ...extras, ...(threadId && { message_thread_id: threadId }) }
  if ('markdown' in body) {
    await calls.sendRichMessageDraft(chatId, draftId, toRich(body), other, apiSignal(signal))
  } else {
    const text = body.text.toWellFormed()
    const { entities } = body
    const options = { ...other, ...(entities && { entities }) }
    await calls.sendMessageDraft(chatId, draftId, text, options, apiSignal(signal))
  }
}

/** What Telegram would find by itself in a model's text may make it refuse the whole of it. */
function toRich({
  markdown,
}: MarkdownBody): Pick<InputRichMessage, 'markdown' | 'skip_entity_detection'> {
  return { markdown: markdown.toWellFormed(), skip_entity_detection: true }
}

function textOptions({ entities }: TextBody) {
  return { ...NO_PREVIEW, ...(entities && { entities }) }
}
