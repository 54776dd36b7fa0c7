import type { Update } from 'grammy/types'

/**
 * What decides the order of a webhook's updates: one waits for those before it with the same key.
 *
 * As in Telegram's server the messages of a chat are one row, and beside it each person's presses are one,
 * so that a press does not wait for the answer to a message. Of a stopped draft no source tells; it has a
 * row of its own, for it is there to interrupt.
 */
export function deliveryKeyOf(update: Update): string {
  const message =
    update.message ?? update.edited_message ?? update.channel_post ?? update.edited_channel_post
  if (message) return `chat ${message.chat.id}`
  const { callback_query: press, message_reaction: reaction } = update
  if (press) return `press ${press.from.id}`
  if (update.my_chat_member) return `member ${update.my_chat_member.chat.id}`
  if (reaction) return `reaction ${reaction.user?.id ?? reaction.actor_chat?.id}`
  const stopped = update.stopped_message_generation
  return stopped ? `stop ${stopped.chat.id}` : 'others'
}
