import { type Config, ConfigError, readConfig } from '../../process/config/config.ts'
import type { EnvChanges } from './env-file.ts'
import type { Conversation } from './terminal.ts'

/** What each step of the set-up gets. */
export interface StepDeps {
  conversation: Conversation
  env: Readonly<Record<string, string | undefined>>
  signal: AbortSignal
}

/** One step: it asks, tries what it got, and asks again until that works or is wanted all the same. */
export type SetupStep = (deps: StepDeps) => Promise<EnvChanges>

const NONE = '-'
/** A secret with fewer characters has no ends that may be shown. */
const MASKED_CHARS_MIN = 20

/** Writes a secret so that its owner knows which one it is. */
export function mask(secret: string): string {
  const { length } = secret
  return length < MASKED_CHARS_MIN
    ? `… (${length} characters)`
    : `${secret.slice(0, 4)}…${secret.slice(-4)}`
}

/**
 * Asks for a value that may be left out.
 *
 * @param kept The value that Enter keeps.
 * @param without The words for what goes on without a value.
 * @returns Undefined for none.
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
  const question = `${name} (${hint}): `
  const answer = isSecret ? await askSecret(question) : await ask(question)
  if (answer === NONE) return undefined
  if (answer === '') return kept
  if (isSecret) say(`Read ${mask(answer)}`)
  return answer
}

/** Asks a question of which Enter is the careful answer. */
export async function confirm(
  { ask }: Pick<Conversation, 'ask'>,
  question: string,
  { otherwise }: { otherwise: boolean },
): Promise<boolean> {
  for (;;) {
    const answer = await ask(`${question} [${otherwise ? 'Y/n' : 'y/N'}] `)
    if (answer === '') return otherwise
    if (/^y(es)?$/i.test(answer)) return true
    if (/^no?$/i.test(answer)) return false
  }
}

/** Reads variables as a start does, and says what is wrong with them. @returns Undefined if something is. */
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
