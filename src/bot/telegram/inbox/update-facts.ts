import type { Message, Update } from 'grammy/types'
import { type ChatThread, threadOf } from '../addressing/chat-thread.ts'

/** The kinds of updates that the bot listens to. Telegram keeps an older list unless a call names one. */
export const ALLOWED_UPDATES = [
  'message',
  'edited_message',
  'callback_query',
  'my_chat_member',
] as const

/** How an update came: fetched by us in batches, or sent by Telegram one by one. */
export type Delivery = 'poll' | 'webhook'

/** Checks whether a button's press begins a turn. */
export type BeginsTurn = (callbackData: string | undefined) => boolean

/**
 * The conversation whose updates are handled one after the other. Undefined for what must not wait
 * for a running answer: /stop, and a button unless its press begins a turn of its own.
 */
export function conversationKeyOf(update: Update, beginsTurn: BeginsTurn): string | undefined {
  const { callback_query: query } = update
  if (query !== undefined) {
    const { message, data } = query
    return message !== undefined && beginsTurn(data)
      ? toConversationKey(threadOf(message))
      : undefined
  }
  if (isStop(update.message)) return undefined
  const message = update.message ?? update.edited_message
  return message && toConversationKey(threadOf(message))
}

export function toConversationKey({ chatId, threadId }: ChatThread): string {
  return `${chatId} ${threadId}`
}

/** When it happened by Telegram's clock; undefined where Telegram does not say. */
export function sentAtOf(update: Update): Date | undefined {
  const { message, edited_message: edited } = update
  const seconds = message?.date ?? edited?.edit_date
  return seconds === undefined ? undefined : new Date(seconds * 1000)
}

function isStop(message: Message | undefined): boolean {
  if (message?.forward_origin !== undefined) return false
  return /^\/stop(@\w+)?(\s|$)/i.test(message?.text ?? '')
}
