import { computed, effect } from '@preact/signals'
import type { Chat, Message, User } from 'grammy/types'
import type { WireBot } from '../../web/api.ts'
import { language } from '../words/language.ts'
import { state } from './chats.ts'
import { act, RequestError } from './request.ts'
import { route } from './route.ts'

/** The bot; undefined until the playground has sent it. */
export const bot = computed<WireBot | undefined>(() => state.value?.bot)

export const people = computed<readonly User[]>(() => state.value?.people ?? [])

export const me = computed<User | undefined>(() => userOf(route.value.as))

function userOf(id: number | undefined): User | undefined {
  if (id === bot.value?.me.id) return bot.value?.me
  return people.value.find((user) => user.id === id)
}

export function nameOf({ first_name: first, last_name: last }: User): string {
  return last === undefined ? first : `${first} ${last}`
}

/** Returns a user's current name, the bot's in the person's language: a message keeps the old one. */
export function nameNow(user: User): string {
  return nameOf(userOf(user.id) ?? user)
}

/** Returns the bot's name; empty until it is known. */
export function botName(): string {
  return bot.value === undefined ? '' : nameOf(bot.value.me)
}

/** Returns the name of a chat; a private chat is named after the bot. */
export function titleOf(chat: Chat): string {
  return chat.type === 'private' ? botName() : (chat.title ?? '')
}

export function faceOf(chat: Chat): number {
  return chat.type === 'private' ? (bot.value?.me.id ?? chat.id) : chat.id
}

export function authorOf({ from }: Pick<Message, 'from'>): { id: number; name: string } {
  return from === undefined ? { id: 0, name: '' } : { id: from.id, name: nameNow(from) }
}

/**
 * Sets the person's language to that of the page when either changes here. Never after a change elsewhere: two tabs in
 * two languages would change it for ever.
 */
export function followLanguage(): void {
  let reported = ''
  effect(() => {
    const user = me.value
    const code = language.value
    if (user === undefined || reported === `${user.id} ${code}`) return
    reported = `${user.id} ${code}`
    if (user.language_code === code) return
    act('/people/:id', { language_code: code }, user.id).catch((error: unknown) => {
      // The next state of the stream causes another attempt.
      reported = ''
      if (!(error instanceof RequestError)) throw error
    })
  })
}
