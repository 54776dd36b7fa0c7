import type { WireChat, WireMessage } from '../../web/api.ts'

/** Checks whether a chat shows its topics before its messages. */
export function hasTopics({ chat, topics }: WireChat): boolean {
  return (chat.type === 'supergroup' && chat.is_forum === true) || topics.length > 0
}

/** The topic that an address leads to; undefined of one that is gone, and in a chat without topics. */
export function topicAt(info: WireChat, threadId: number | undefined): number | undefined {
  if (threadId === 0) return hasTopics(info) ? 0 : undefined
  return info.topics.find(({ thread_id: id }) => id === threadId)?.thread_id
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
