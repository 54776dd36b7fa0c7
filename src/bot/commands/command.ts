import type { MediaKind } from '../../contract/tasks.ts'
import type { UserRole } from '../../platform/database/generated/enums.ts'
import type { AnswerTurn } from '../conversations/answer-message.ts'
import type { GivenPicture } from '../media/pictures.ts'
import type { ChatThread, Sender } from '../telegram/addressing.ts'
import type { FormattedBody, TextBody } from '../telegram/message.ts'
import type { Extras, FileBytes } from '../telegram/send.ts'
import type { PicturedMessage } from '../telegram/shortcuts.ts'
import type { TextVariables } from '../texts/texts.ts'

/** The audiences of commands and buttons: each audience includes those after it. */
export const AUDIENCES = ['everybody', 'viewers', 'admins'] as const

export type Audience = (typeof AUDIENCES)[number]

/** A command of the bot as data: its name, its audience and its handlers. */
export interface CommandDefinition<App> {
  /** The name without the slash. Texts named `command-<name>` describe it in each language. */
  name: string
  audience: Audience
  usage?: string
  /** The chats in which Telegram's menu and `/help` list it. It works in all chats. */
  listed?: 'everywhere' | 'in_private'
  /** Hides the command while the service sells none of these. */
  about?: readonly MediaKind[]
  handle(app: App, command: Command): Promise<void>
  presses?: readonly PressHandling<App>[]
}

export type CommandFacts = Omit<CommandDefinition<never>, 'handle' | 'presses'>

export interface PressHandling<App> {
  data: string | RegExp
  press(app: App, press: Press): Promise<void>
}

export interface Command extends ChatThread {
  messageId: number
  user: Sender
  isAdmin: boolean
  /** The language of the Telegram app, even if the user chose another language here. */
  telegramLanguageCode: string | undefined
  hasTopics: boolean
  argument: string
  picture: GivenPicture | undefined
  t(key: string, variables?: TextVariables): string
  /** Calls a function for each format until Telegram accepts one; such an answer has neither entities nor a picture. */
  answer(
    body: string | FormattedBody,
    extras?: Pick<PicturedMessage, 'keyboard' | 'entities' | 'picture'>,
  ): Promise<void>
  answerFile(file: { fileName: string; bytes: FileBytes }): Promise<void>
  runTurn(run: Parameters<AnswerTurn>[2]): Promise<void>
}

/** A button below a command's answer, pressed by any user who sees it. */
export interface Press extends ChatThread {
  /** Stays the same when the press is handled again. */
  id: string
  messageId: number
  data: string
  match: readonly (string | undefined)[]
  user: Sender
  isAdmin: boolean
  hasTopics: boolean
  telegramLanguageCode: Command['telegramLanguageCode']
  t: Command['t']
  notify(text?: string): Promise<void>
  answer: Command['answer']
  answerFile: Command['answerFile']
  runTurn: Command['runTurn']
  edit(body: string | TextBody | FormattedBody, extras?: Pick<Extras, 'keyboard'>): Promise<void>
}

export interface Named<T> {
  value: T
  names: readonly string[]
}

/** Checks whether a user with this role, if any, belongs to an audience. */
export function isAmong(audience: Audience, role: UserRole | undefined): boolean {
  switch (audience) {
    case 'everybody':
      return true
    case 'viewers':
      return role !== undefined
    case 'admins':
      return role === 'admin'
  }
}

/** Finds a thing by its name, otherwise by a part of its name; undefined if the match is not unique. */
export function findNamed<T>(typed: string, things: readonly Named<T>[]): T | undefined {
  const word = typed.toLowerCase()
  const isNamed = (matches: (name: string) => boolean) =>
    things.filter(({ names }) => names.some((name) => matches(name.toLowerCase())))
  const exact = isNamed((name) => name === word)
  const found = exact.length > 0 ? exact : isNamed((name) => name.includes(word))
  return found.length === 1 ? found[0]?.value : undefined
}
