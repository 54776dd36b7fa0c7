import type { ForceReply, Message, ReplyKeyboardMarkup, User } from 'grammy/types'
import type { WireMessage } from '../../../web/api.ts'

/** The bot's last markup, as it changes the field. */
export interface FieldMarkup {
  /** The message that it came with. */
  messageId: number
  /** Buttons below the field. */
  keyboard?: ReplyKeyboardMarkup
  /** The message that the next one answers without the person's doing. */
  forceReply?: WireMessage
  /** Used once and asked to be used once: it waits behind its button. */
  isUsed: boolean
  placeholder: string
}

/**
 * Reads the markup that stands in a chat thread: the last that concerns the person. One whose message was
 * deleted is gone with it.
 *
 * @param messages Of the thread, oldest first.
 */
export function fieldMarkupOf(
  messages: readonly WireMessage[],
  user: User,
): FieldMarkup | undefined {
  const index = messages.findLastIndex((one) => one.keyboard !== undefined && concerns(one, user))
  const found = messages[index]
  const markup = found?.keyboard
  if (found === undefined || markup === undefined || 'remove_keyboard' in markup) return undefined
  const { message } = found
  const hasAnswered = messages.slice(index + 1).some((one) => one.message.from?.id === user.id)
  const asked = { messageId: message.message_id, placeholder: placeholderOf(markup) }
  if (!('keyboard' in markup)) {
    return hasAnswered ? undefined : { ...asked, forceReply: found, isUsed: false }
  }
  return {
    ...asked,
    keyboard: markup,
    ...(markup.force_reply && !hasAnswered && { forceReply: found }),
    isUsed: hasAnswered && markup.one_time_keyboard === true,
  }
}

/** A selective markup is for those that its message names or answers; in a private chat for the one person. */
function concerns({ message, keyboard }: WireMessage, user: User): boolean {
  if (keyboard?.selective !== true || message.chat.type === 'private') return true
  return message.reply_to_message?.from?.id === user.id || mentions(message, user)
}

function mentions({ text, caption, entities, caption_entities }: Message, user: User): boolean {
  const name = user.username?.toLowerCase()
  return (entities ?? caption_entities ?? []).some((entity) => {
    if (entity.type === 'text_mention') return entity.user.id === user.id
    const { type, offset, length } = entity
    const words = (text ?? caption ?? '').slice(offset, offset + length)
    return type === 'mention' && name !== undefined && words.toLowerCase() === `@${name}`
  })
}

function placeholderOf(markup: ReplyKeyboardMarkup | ForceReply): string {
  return markup.input_field_placeholder ?? ''
}
