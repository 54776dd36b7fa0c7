import type { WireChat, WireMessage } from '../../web/api.ts'

/** Whether a chat shows its topics before its messages. */
export function hasTopics({ chat, topics }: WireChat): boolean {
  return (chat.type === 'supergroup' && chat.is_forum === true) || topics.length > 0
}

/** The topic that a message is in; 0 is General, and every chat without topics. */
export function threadOf({ message }: WireMessage): number {
  return message.is_topic_message === true ? (message.message_thread_id ?? 0) : 0
}

/** The messages of one topic; of a chat without topics, all. */
export function messagesOf(
  info: WireChat,
  messages: readonly WireMessage[],
  threadId: number,
): readonly WireMessage[] {
  return hasTopics(info) ? messages.filter((message) => threadOf(message) === threadId) : messages
}
