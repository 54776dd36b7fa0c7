import { signal } from '@preact/signals'

/** Messages that asked for an answer and whose bar the person closed: `CHAT/MESSAGE`. */
export const dismissedReplies = signal<ReadonlySet<string>>(new Set())

/** The message is not answered by what is written next. */
export function dismissReply(chatId: number, messageId: number | undefined): void {
  dismissedReplies.value = new Set(dismissedReplies.value).add(`${chatId}/${messageId}`)
}
