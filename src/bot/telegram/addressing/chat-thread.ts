import type { Context } from 'grammy'
import type { Chat, UserFromGetMe } from 'grammy/types'

/** A chat, or one topic of it: where a conversation is held. */
export interface ChatThread {
  chatId: number
  threadId: number
}

/** The chat thread of a message; `threadId` is 0 in the General topic and in a chat without topics. */
export function threadOf(message: {
  chat: { id: number }
  is_topic_message?: boolean
  message_thread_id?: number
}): ChatThread {
  // In ordinary groups the same field only ties replies together.
  const threadId = (message.is_topic_message && message.message_thread_id) || 0
  return { chatId: message.chat.id, threadId }
}

/** Names the message that a sentence answers: in a group the given one, in a private chat none. */
export function answeredIn(message: { chat: { id: number }; message_id: number }): {
  replyToMessageId?: number
} {
  return message.chat.id < 0 ? { replyToMessageId: message.message_id } : {}
}

/** Checks whether a chat has topics, each a thread of its own. */
export function hasTopics(chat: Chat, me: Pick<UserFromGetMe, 'has_topics_enabled'>): boolean {
  return chat.type === 'private' ? me.has_topics_enabled : chat.is_forum === true
}

/** The message whose button was pressed; undefined where Telegram does not name it any more. */
export function pressedMessageOf(
  ctx: Pick<Context, 'callbackQuery'>,
): (ChatThread & { messageId: number }) | undefined {
  const message = ctx.callbackQuery?.message
  return message && { ...threadOf(message), messageId: message.message_id }
}
