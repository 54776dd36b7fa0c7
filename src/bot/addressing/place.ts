/** Where a conversation is held: a chat, or one topic in it (0 where there are none). */
export interface Place {
  chatId: number
  threadId: number
}

/** Where a message stands: a chat, or one topic of it; 0 is the General topic, or a chat without topics. */
export function placeOf(message: {
  chat: { id: number }
  is_topic_message?: boolean
  message_thread_id?: number
}): Place {
  // In ordinary groups the same field only ties replies together.
  const threadId = (message.is_topic_message && message.message_thread_id) || 0
  return { chatId: message.chat.id, threadId }
}
