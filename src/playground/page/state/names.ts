import type { Chat, User } from 'grammy/types'
import { bot, userOf } from './people.ts'

/** A person's or the bot's whole name. */
export function nameOf({ first_name: first, last_name: last }: User): string {
  return last === undefined ? first : `${first} ${last}`
}

/** Somebody's name as it is now, and the bot's in the person's language: a message keeps the one it came with. */
export function nameNow(user: User): string {
  return nameOf(userOf(user.id) ?? user)
}

/** Returns the name of a chat in the list: of a private one the bot that one talks to. */
export function titleOf(chat: Chat): string {
  if (chat.type !== 'private') return chat.title ?? ''
  return bot.value === undefined ? '' : nameOf(bot.value.me)
}

/** Returns the id whose colour and letters stand for a chat. */
export function faceOf(chat: Chat): number {
  return chat.type === 'private' ? (bot.value?.me.id ?? chat.id) : chat.id
}
