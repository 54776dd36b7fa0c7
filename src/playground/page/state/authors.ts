import type { Chat, Message, MessageOrigin } from 'grammy/types'
import { nameNow } from './names.ts'

/** The author that a message shows. */
export interface Author {
  id: number
  name: string
}

/** Returns who wrote a message: a chat where one writes as a chat. */
export function authorOf({
  sender_chat: chat,
  from,
}: Pick<Message, 'sender_chat' | 'from'>): Author {
  if (chat !== undefined) return { id: chat.id, name: nameOfChat(chat) }
  return from === undefined ? { id: 0, name: '' } : { id: from.id, name: nameNow(from) }
}

/** Names the author of the words in a forwarded message. */
export function originName(origin: MessageOrigin): string {
  switch (origin.type) {
    case 'user':
      return nameNow(origin.sender_user)
    case 'hidden_user':
      return origin.sender_user_name
    case 'chat':
      return nameOfChat(origin.sender_chat)
    default:
      return nameOfChat(origin.chat)
  }
}

function nameOfChat(chat: Chat): string {
  return chat.type === 'private' ? chat.first_name : (chat.title ?? '')
}
