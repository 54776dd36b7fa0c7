import type { BotCommand, User } from 'grammy/types'
import type { Token } from './token.ts'

/** A completion of the word before the cursor. */
export interface Suggestion {
  /** Distinct among those shown together. */
  key: string
  kind: Token['kind']
  title: string
  /** The effect of a command, or the name of a person. */
  hint: string
  /** The text that replaces the word. */
  text: string
  /** Somebody without a username is mentioned by name: the message says who is meant. */
  user?: User
}

/** The commands and people that can be suggested in a chat. */
export interface Suggestible {
  commands: readonly BotCommand[]
  /** The people who can be mentioned; none in a private chat. */
  people: readonly User[]
  bot: User
  isGroup: boolean
}

/** Those that fit the word, in the order of the chat's own list: first those that begin with it. */
export function suggestionsOf(token: Token | undefined, given: Suggestible): Suggestion[] {
  if (token === undefined) return []
  return token.kind === 'command' ? commandsFor(token.word, given) : peopleFor(token.word, given)
}

/** Several bots may be in a group: a command there names its bot. */
function toCommandText(command: string, { bot, isGroup }: Suggestible): string {
  return isGroup ? `/${command}@${bot.username}` : `/${command}`
}

function commandsFor(word: string, given: Suggestible): Suggestion[] {
  return byFit(given.commands, word, ({ command }) => [command]).map(
    ({ command, description }) => ({
      key: command,
      kind: 'command',
      title: `/${command}`,
      hint: description,
      text: toCommandText(command, given),
    }),
  )
}

function peopleFor(word: string, { people, bot, isGroup }: Suggestible): Suggestion[] {
  if (!isGroup) return []
  const names = (user: User) => [user.username ?? '', user.first_name, user.last_name ?? '']
  return byFit([...people, bot], word, names).map((user) => {
    const { id, username, first_name, last_name } = user
    const name = last_name === undefined ? first_name : `${first_name} ${last_name}`
    if (username === undefined) {
      return { key: String(id), kind: 'mention', title: name, hint: '', text: first_name, user }
    }
    const text = `@${username}`
    return { key: String(id), kind: 'mention', title: name, hint: text, text }
  })
}

/** Keeps what has the word in a name; those whose name begins with it come first. */
function byFit<T>(all: readonly T[], word: string, names: (one: T) => string[]): T[] {
  const fits = (test: (name: string) => boolean) => (one: T) =>
    names(one).some((name) => test(name.toLowerCase()))
  const beginning = all.filter(fits((name) => name.startsWith(word)))
  const containing = all.filter(fits((name) => name.includes(word)))
  return [...new Set([...beginning, ...containing])]
}
