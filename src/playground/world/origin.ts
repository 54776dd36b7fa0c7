import type { MessageOrigin } from 'grammy/types'
import type { StoredMessage } from './message.ts'
import type { World } from './world.ts'

/** The author of a forwarded message; one that was forwarded before keeps its first author. */
export function originOf(message: StoredMessage, world: Pick<World, 'userOf'>): MessageOrigin {
  const { forwardOrigin, senderChat, userId, date } = message
  if (forwardOrigin) return forwardOrigin
  if (senderChat?.type === 'channel') {
    return { type: 'channel', date, chat: senderChat, message_id: message.id }
  }
  if (senderChat) return { type: 'chat', date, sender_chat: senderChat }
  return { type: 'user', date, sender_user: world.userOf(userId) }
}
