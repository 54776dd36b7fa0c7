/**
 * The questions of setup, asked on a terminal by `@clack/prompts`.
 *
 * Invariant: a secret is neither echoed nor printed whole, and nothing is asked after a cancellation.
 */
import type { Readable, Writable } from 'node:stream'
import {
  type CANCEL_SYMBOL,
  confirm,
  isCancel,
  log,
  password,
  text,
  updateSettings,
} from '@clack/prompts'
import { type Config, ConfigError, readConfig } from '../../process/config.ts'
import type { Env } from './env-file.ts'

/** All questions throw a {@link CancelledError} when the user cancels. */
export interface Conversation {
  say(text: string): void
  ask(question: string, options?: { isSecret: boolean }): Promise<string>
  /** Asks for yes or no; Enter answers with `initial`. */
  confirm(question: string, options: { initial: boolean }): Promise<boolean>
}

/** Asks until the answer works or the user keeps it untried. Returns the changes of the variables. */
export type SetupStep = (conversation: Conversation, env: Env) => Promise<Env>

/** The user pressed Ctrl-C, Ctrl-D or Escape. */
export class CancelledError extends Error {
  override readonly name = 'CancelledError'
}

const CTRL_D = '\u0004'
const NONE = '-'
/** A shorter secret could be guessed from its ends. */
const MASKED_CHARS_MIN = 20

export function openConversation(terminal: { input: Readable; output: Writable }): Conversation {
  updateSettings({ aliases: { [CTRL_D]: 'cancel' } })
  return {
    say: (text) => log.message(text, { output: terminal.output }),
    ask: async (message, { isSecret } = { isSecret: false }) =>
      (await answer((isSecret ? password : text)({ message, ...terminal }))).trim(),
    confirm: (message, { initial: initialValue }) =>
      answer(confirm({ message, initialValue, ...terminal })),
  }

  async function answer<T>(asked: Promise<T | typeof CANCEL_SYMBOL>): Promise<T> {
    const value = await asked
    if (isCancel(value)) throw new CancelledError('Setup was cancelled')
    return value
  }
}

/** Returns the ends of a secret, by which its owner recognises it. */
export function mask(secret: string): string {
  const { length } = secret
  return length < MASKED_CHARS_MIN
    ? `… (${length} characters)`
    : `${secret.slice(0, 4)}…${secret.slice(-4)}`
}

interface Question {
  name: string
  /** The value that Enter keeps. */
  kept: string | undefined
  without: string
  isSecret?: boolean
  toEnv: (value: string) => Env
}

/** Asks for an optional value until a start would accept it. */
export async function askFor(
  conversation: Conversation,
  { name, kept, without, isSecret = false, toEnv }: Question,
): Promise<string | undefined> {
  const show = (value: string) => (isSecret ? mask(value) : value)
  const hint = kept === undefined ? without : `${show(kept)}; ${NONE}: ${without}`
  for (;;) {
    const answer = await conversation.ask(`${name} (Enter: ${hint})`, { isSecret })
    const value = answer === NONE ? undefined : answer || kept
    if (isSecret) conversation.say(`${name}: ${value === undefined ? without : show(value)}`)
    if (value === undefined || readOrSay(conversation, toEnv(value)) !== undefined) return value
  }
}

/** Reads variables as a start does. Shows problems and returns undefined if there are any. */
export function readOrSay({ say }: Pick<Conversation, 'say'>, env: Env): Config | undefined {
  try {
    return readConfig(env)
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    for (const problem of error.problems) say(`${problem}.`)
    return undefined
  }
}
