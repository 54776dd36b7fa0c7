import type { Message, MessageEntity, UserFromGetMe } from 'grammy/types'
import type { StoredChat } from '../world/world.ts'

/**
 * Whether the bot is told of a message.
 *
 * In a group it hears commands, mentions and answers to itself, unless it reads everything or is an
 * administrator.
 */
export function reaches(message: Message, chat: StoredChat, me: UserFromGetMe): boolean {
  if (chat.type === 'private') return true
  if (chat.botStatus === 'kicked' || chat.botStatus === 'left') return false
  if (me.can_read_all_group_messages || chat.botStatus === 'administrator') return true
  if (message.reply_to_message?.from?.id === me.id) return true
  const text = message.text ?? message.caption ?? ''
  const entities = message.entities ?? message.caption_entities ?? []
  return entities.some((entity) => isForBot(text, entity, me))
}

function isForBot(text: string, entity: MessageEntity, me: UserFromGetMe): boolean {
  const { type, offset, length } = entity
  if (type === 'text_mention') return entity.user.id === me.id
  const [name = '', addressee] = text.slice(offset, offset + length).split('@')
  const isOurs = addressee?.toLowerCase() === me.username.toLowerCase()
  if (type === 'bot_command') return isOurs || (addressee === undefined && name !== '')
  return type === 'mention' && isOurs
}
