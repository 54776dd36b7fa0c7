import { computed, signal } from '@preact/signals'
import type { User } from 'grammy/types'
import type { LiveEvents, WireBot, WirePerson } from '../../web/api.ts'
import { listen } from '../live.ts'
import { route } from '../route.ts'

/** The bot; undefined until the playground has sent it. */
export const bot = signal<WireBot | undefined>(undefined)

/** Everybody that one can be. */
export const people = signal<readonly WirePerson[]>([])

/** The person at the page. */
export const me = computed<User | undefined>(() => userOf(route.value.as))

/** Follows events from now on; the first of them is in the whole state. */
export function followPeople(): void {
  listen('bot', (current) => {
    bot.value = current
  })
  listen('people', (current) => {
    people.value = current
  })
}

/** Takes who there is out of the whole state. */
export function takePeople(state: Pick<LiveEvents['state'], 'bot' | 'people'>): void {
  bot.value = state.bot
  people.value = state.people
}

/** A person or the bot by id; undefined where neither is known by it. */
export function userOf(id: number | undefined): User | undefined {
  if (id === bot.value?.me.id) return bot.value?.me
  return people.value.find(({ user }) => user.id === id)?.user
}
