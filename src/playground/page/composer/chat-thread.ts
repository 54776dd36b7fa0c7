/** A chat and, in a forum, the topic; 0 outside of topics. */
export interface ChatThread {
  chatId: number
  threadId: number
}

/** One word for a chat thread, to keep things by. */
export function threadKey({ chatId, threadId }: ChatThread): string {
  return `${chatId}/${threadId}`
}
