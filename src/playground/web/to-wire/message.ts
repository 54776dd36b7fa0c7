import type { Message } from 'grammy/types'
import { inlineOf } from '../../content/markup.ts'
import type { StoredMessage } from '../../world/message.ts'
import { toMessage } from '../../world/to-message.ts'
import type { World } from '../../world/world.ts'
import type { WireMessage } from '../api.ts'

/** A message with what the Bot API does not show of it. */
export function toWireMessage(message: StoredMessage, world: World): WireMessage {
  const { replyMarkup, reactions } = message
  // What is not inline belongs to the field, which the type of the markup does not tell apart.
  const isInline = inlineOf(replyMarkup) !== undefined
  return {
    message: toMessage(message, world),
    ...(replyMarkup !== undefined && !isInline && { keyboard: replyMarkup as never }),
    reactions: reactions.map(({ userId, reaction }) => ({ user_id: userId, reaction })),
  }
}

/** Messages that have just been sent. */
export function toWireMessages(messages: readonly Message[], world: World): WireMessage[] {
  return messages.flatMap(({ chat, message_id: messageId }) => {
    const stored = world.chatOf(chat.id).messages.get(messageId)
    return stored ? [toWireMessage(stored, world)] : []
  })
}
