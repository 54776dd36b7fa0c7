/**
 * The questions of setup, asked on a terminal by `@clack/prompts`.
 *
 * Invariant: a secret is neither echoed nor printed whole, and after a cancellation nothing more is asked.
 */
import type { Readable, Writable } from 'node:stream'
import {
  type CANCEL_SYMBOL,
  confirm,
  isCancel,
  log,
  password,
  spinner,
  text,
  updateSettings,
} from '@clack/prompts'
import { type Config, ConfigError, readConfig } from '../../process/config/config.ts'
import type { EnvChanges } from './env-file.ts'

export interface Conversation {
  /** Aborted with a {@link CancelledError} when the user cancels. */
  signal: AbortSignal
  say(text: string): void
  ask(question: string): Promise<string>
  askSecret(question: string): Promise<string>
  /** Asks for yes or no; Enter answers with `initial`. */
  confirm(question: string, options: { initial: boolean }): Promise<boolean>
  /** Shows a spinner until the work ends. */
  wait<T>(message: string, work: () => Promise<T>): Promise<T>
}

/** The user pressed Ctrl-C, Ctrl-D or Escape. */
export class CancelledError extends Error {
  override readonly name = 'CancelledError'

  constructor() {
    super('Setup was cancelled')
  }
}

/** What each step of setup gets. */
export interface StepDeps {
  conversation: Conversation
  env: Readonly<Record<string, string | undefined>>
}

/** Asks, tries the answer, and asks again until the answer works or the user keeps it untried. */
export type SetupStep = (deps: StepDeps) => Promise<EnvChanges>

const CTRL_D = '\u0004'
const NONE = '-'
/** A shorter secret would be guessed from its ends. */
const MASKED_CHARS_MIN = 20

/**
 * Opens a conversation on a terminal.
 *
 * @param onExit Called if the user cancels during {@link Conversation.wait} and the process exits at once.
 */
export function openConversation({
  input,
  output,
  onExit,
}: {
  input: Readable
  output: Writable
  onExit: () => void
}): Conversation {
  const cancelling = new AbortController()
  const { signal } = cancelling
  updateSettings({ aliases: { [CTRL_D]: 'cancel' } })
  return {
    signal,
    say: (text) => log.message(text, { output }),
    ask: async (message) => (await answer(text({ message, input, output }))).trim(),
    askSecret: async (message) => (await answer(password({ message, input, output }))).trim(),
    confirm: (message, { initial }) =>
      answer(confirm({ message, initialValue: initial, input, output })),
    wait,
  }

  async function answer<T>(asked: Promise<T | typeof CANCEL_SYMBOL>): Promise<T> {
    const value = await asked
    if (!isCancel(value)) return value
    cancel()
    throw signal.reason
  }

  async function wait<T>(message: string, work: () => Promise<T>): Promise<T> {
    const waiting = spinner({ output, onCancel: cancel })
    waiting.start(message)
    // The spinner reads the keyboard itself, and exits the process with status 0 on Ctrl-C.
    const exit = (code: number) => {
      if (code === 0) onExit()
    }
    process.on('exit', exit)
    try {
      const result = await work()
      signal.throwIfAborted()
      return result
    } finally {
      waiting.clear()
      process.off('exit', exit)
    }
  }

  function cancel(): void {
    cancelling.abort(new CancelledError())
  }
}

/** Returns a secret as its first and last characters, by which its owner recognises it. */
export function mask(secret: string): string {
  const { length } = secret
  return length < MASKED_CHARS_MIN
    ? `… (${length} characters)`
    : `${secret.slice(0, 4)}…${secret.slice(-4)}`
}

/**
 * Asks for an optional value.
 *
 * @param kept The value that Enter keeps.
 * @param without Describes what happens without a value.
 */
export async function askFor(
  { ask, askSecret, say }: Conversation,
  {
    name,
    kept,
    without,
    isSecret = false,
  }: { name: string; kept: string | undefined; without: string; isSecret?: boolean },
): Promise<string | undefined> {
  const shown = kept !== undefined && isSecret ? mask(kept) : kept
  const hint = shown === undefined ? `Enter: ${without}` : `Enter: ${shown}; ${NONE}: ${without}`
  const question = `${name} (${hint})`
  const answer = isSecret ? await askSecret(question) : await ask(question)
  const value = answer === NONE ? undefined : answer || kept
  if (isSecret) say(`${name}: ${value === undefined ? without : mask(value)}`)
  return value
}

/** Reads variables as a start does. Reports their problems and returns undefined if there are any. */
export function readOrSay(
  { say }: Pick<Conversation, 'say'>,
  env: StepDeps['env'],
): Config | undefined {
  try {
    return readConfig(env)
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    for (const problem of error.problems) say(`${problem}.`)
    return undefined
  }
}
