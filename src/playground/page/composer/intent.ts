import { signal } from '@preact/signals'
import type { Message } from 'grammy/types'

/** A chat and, in a forum, the topic; 0 outside of topics. */
export interface ChatThread {
  chatId: number
  threadId: number
}

/** What the next message of a chat thread is for: an answer to a message, or its new text. */
export type Intent =
  | {
      kind: 'reply'
      message: Message
      /** The part of the message that is answered. */
      quote?: string
    }
  | { kind: 'edit'; message: Message }

/** By {@link threadKey}. */
const intents = signal<ReadonlyMap<string, Intent>>(new Map())

/** Counts the wishes to write, so that each of them brings the cursor back into the field. */
export const wishesToWrite = signal(0)

/** One word for a chat thread, to keep things by. */
export function threadKey({ chatId, threadId }: ChatThread): string {
  return `${chatId}/${threadId}`
}

/** Where a message stands. */
export function threadOf(message: Message): ChatThread {
  const threadId = message.is_topic_message ? (message.message_thread_id ?? 0) : 0
  return { chatId: message.chat.id, threadId }
}

export function intentOf(thread: ChatThread): Intent | undefined {
  return intents.value.get(threadKey(thread))
}

/** Opens the reply bar above the field: the next message answers this one, or a quoted part of it. */
export function replyTo(message: Message, quote?: string): void {
  setIntent(threadOf(message), {
    kind: 'reply',
    message,
    ...(quote !== undefined && quote !== '' && { quote }),
  })
}

/** Puts the message's text into the field; sending it changes the message. */
export function editMessage(message: Message): void {
  setIntent(threadOf(message), { kind: 'edit', message })
}

/** The next message is one of its own again. */
export function dropIntent(thread: ChatThread): void {
  const next = new Map(intents.value)
  next.delete(threadKey(thread))
  intents.value = next
}

function setIntent(thread: ChatThread, intent: Intent): void {
  intents.value = new Map(intents.value).set(threadKey(thread), intent)
  wishesToWrite.value++
}
