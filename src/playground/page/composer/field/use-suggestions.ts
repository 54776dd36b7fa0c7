import { type Signal, useSignal } from '@preact/signals'
import type { User } from 'grammy/types'
import type { WireChat } from '../../../web/api.ts'
import { bot, me, userOf } from '../../state/people.ts'
import { type Suggestible, type Suggestion, suggestionsOf } from './suggestions-of.ts'
import { findToken, type Token } from './token.ts'
import type { Writing } from './use-writing.ts'

/** The list above the field. */
export interface Suggestions {
  shown: readonly Suggestion[]
  /** The one that Enter takes. */
  chosen: number
  /** Goes up or down in the list; from an end to the other. */
  move: (by: 1 | -1) => void
  /** Puts one into the text. @returns Where the cursor belongs then. */
  insert: (suggestion: Suggestion) => number
  /** Closes the list until something else is written. @returns Whether it was open. */
  close: () => boolean
  showsCommands: boolean
  /** Opens the list of all commands, with any text in the field, or closes it. */
  toggleCommands: () => void
}

/** Follows what is written and suggests what it may become. */
export function useSuggestions(writing: Writing, cursor: Signal<number>): Suggestions {
  const { text } = writing
  /** The chosen index, for the word that it was chosen for: another word begins at the first. */
  const choice = useSignal({ word: '', index: 0 })
  /** The text that the person wants no suggestions for. */
  const closedFor = useSignal<string | undefined>(undefined)
  const showsCommands = useSignal(false)
  const token = showsCommands.value ? ANY_COMMAND : tokenNow()
  const suggestible = suggestibleOf(writing.chat.info.value)
  const shown = suggestible === undefined ? [] : suggestionsOf(token, suggestible)
  const word = `${token?.kind} ${token?.word}`
  const index = choice.value.word === word ? choice.value.index : 0
  const chosen = Math.max(0, Math.min(index, shown.length - 1))
  return {
    shown,
    chosen,
    move,
    insert,
    close,
    toggleCommands,
    showsCommands: showsCommands.value,
  }

  function tokenNow(): Token | undefined {
    return closedFor.value === text.value ? undefined : findToken(text.value, cursor.value)
  }

  function move(by: 1 | -1): void {
    choice.value = { word, index: (chosen + by + shown.length) % shown.length }
  }

  function insert(suggestion: Suggestion): number {
    const { start, end } = token ?? ANY_COMMAND
    const after = text.value.slice(end)
    const inserted = /^\s/.test(after) ? suggestion.text : `${suggestion.text} `
    text.value = text.value.slice(0, start) + inserted + after
    if (suggestion.user !== undefined) writing.mention(suggestion.user)
    showsCommands.value = false
    return start + inserted.length
  }

  function close(): boolean {
    if (shown.length === 0) return false
    showsCommands.value = false
    closedFor.value = text.value
    return true
  }

  function toggleCommands(): void {
    showsCommands.value = !showsCommands.value
  }
}

/** The token that the button of all commands completes: the chosen command goes before the text. */
const ANY_COMMAND: Token = { kind: 'command', word: '', start: 0, end: 0 }

function suggestibleOf({ chat, commands, members }: WireChat): Suggestible | undefined {
  const it = bot.value?.me
  if (it === undefined) return undefined
  const people = members.map(userOf).filter(isOther)
  return { commands, people, bot: it, isGroup: chat.type !== 'private' }
}

/** People do not mention themselves. */
function isOther(user: User | undefined): user is User {
  return user !== undefined && !user.is_bot && user.id !== me.value?.id
}
