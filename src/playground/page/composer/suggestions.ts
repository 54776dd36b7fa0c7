import type { BotCommand, User } from 'grammy/types'

export interface Token {
  kind: 'command' | 'mention'
  /** Without its `/` or `@`, in lower case. */
  word: string
  /** From the `/` or `@` to the end of the word, in UTF-16 units. */
  start: number
  end: number
}

export interface Suggestion {
  kind: Token['kind']
  title: string
  hint: string
  text: string
}

export interface Suggestible {
  commands: readonly BotCommand[]
  bot: User
  isGroup: boolean
}

const WORD_CHARS_MAX = 64

/** Finds the word at the cursor. Only the first word can be a command; a mention follows a space or a bracket. */
export function findToken(text: string, cursor: number): Token | undefined {
  const before = text.slice(0, cursor)
  const command = /^\/(\w*)$/.exec(before)
  const mention = /(?:^|[\s([{"'«])@([\p{L}\p{N}_]*)$/u.exec(before)
  const word = (command ?? mention)?.[1]
  if (word === undefined || word.length > WORD_CHARS_MAX) return undefined
  const rest = /^[\p{L}\p{N}_@]*/u.exec(text.slice(cursor))?.[0] ?? ''
  return {
    kind: command === null ? 'mention' : 'command',
    word: word.toLowerCase(),
    start: before.length - word.length - 1,
    end: cursor + rest.length,
  }
}

/** Returns the completions of a word: commands that begin with it before commands that contain it. */
export function suggestionsOf(
  token: Token | undefined,
  { commands, bot, isGroup }: Suggestible,
): Suggestion[] {
  if (token === undefined) return []
  const { kind, word } = token
  if (kind === 'mention') {
    const { username = '', first_name: hint } = bot
    const fits = [username, hint].some((name) => name.toLowerCase().includes(word))
    const text = `@${username}`
    return isGroup && fits ? [{ kind, title: text, hint, text }] : []
  }
  const found = commands.filter(({ command }) => command.includes(word))
  const rank = ({ command }: BotCommand) => (command.startsWith(word) ? 0 : 1)
  return found
    .toSorted((one, other) => rank(one) - rank(other))
    .map(({ command, description }) => ({
      kind,
      title: `/${command}`,
      hint: description,
      // A group may have several bots: a command names its bot.
      text: isGroup ? `/${command}@${bot.username}` : `/${command}`,
    }))
}
