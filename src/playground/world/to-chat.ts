import type { Chat, User } from 'grammy/types'
import type { Person, StoredChat } from './world.ts'

export function toUser(person: Person): User {
  return {
    id: person.id,
    is_bot: false,
    first_name: person.firstName,
    ...(person.username !== undefined && { username: person.username }),
    ...(person.languageCode !== undefined && { language_code: person.languageCode }),
  }
}

export function toChat(chat: StoredChat, people: ReadonlyMap<number, Person>): Chat {
  const { id, type, title, username, isForum } = chat
  switch (type) {
    case 'private':
      return toPrivateChat(chat, people)
    case 'group':
      return { id, type, title }
    case 'channel':
      return { id, type, title, ...(username !== undefined && { username }) }
    case 'supergroup':
      return {
        id,
        type,
        title,
        ...(username !== undefined && { username }),
        ...(isForum && { is_forum: true }),
      }
  }
}

export function toPrivateChat(
  chat: StoredChat,
  people: ReadonlyMap<number, Person>,
): Chat.PrivateChat {
  const person = people.get(chat.id)
  return {
    id: chat.id,
    type: 'private',
    first_name: person?.firstName ?? chat.title,
    ...(person?.username !== undefined && { username: person.username }),
  }
}
