import { ConfigError, readConfig } from '../../process/config/config.ts'
import { askFor, confirm, mask, readOrSay, type SetupStep, type StepDeps } from './ask-for.ts'
import { askToken } from './ask-token.ts'
import { askUpstream } from './ask-upstream.ts'
import type { EnvChanges } from './env-file.ts'

export interface SetUpDeps extends StepDeps {
  written: Readonly<Record<string, string>>
  path: string
  write(changes: EnvChanges): Promise<void>
}

const SECRETS = new Set(['BOT_TOKEN', 'OPENAI_API_KEY'])

/**
 * Asks for a token, a key and an admin, tries each, and writes what it got.
 *
 * Nothing is written before the person has seen it and agreed.
 *
 * @returns True if the file is as the person wants it.
 * @throws {CancelledError} If the person broke off. Nothing was written.
 */
export async function setUp(deps: SetUpDeps): Promise<boolean> {
  const { conversation, env, written, path } = deps
  const { say } = conversation
  say(`Enter takes what is proposed. Nothing is written before the end; Ctrl-C breaks off.\n`)
  const asked = new Map<string, string | undefined>()
  for (const step of [askToken, askUpstream, askAdmins]) {
    const changes = await step({ ...deps, env: { ...env, ...Object.fromEntries(asked) } })
    for (const [name, value] of changes) asked.set(name, value)
  }
  const changes = new Map([...asked].filter(([name, value]) => written[name] !== value))
  if (changes.size === 0) {
    say(`\nNothing is to be changed in ${path}.`)
    return true
  }
  say(`\n${path} (for you alone to read):\n\n${describeChanges(changes, written)}\n`)
  for (const remark of describeOutcome(deps, changes)) say(`Note: ${remark}\n`)
  const replaced = [...changes.keys()].filter((name) => written[name] !== undefined)
  const question =
    replaced.length === 0 ? 'Write it?' : `Write it, and replace ${replaced.join(', ')}?`
  const isWanted = await confirm(conversation, question, { otherwise: replaced.length === 0 })
  if (isWanted) await deps.write(changes)
  say(isWanted ? `Wrote ${path}.` : 'Nothing was written.')
  return isWanted
}

const askAdmins: SetupStep = async ({ conversation, env }) => {
  if (env.BOT_TOKEN === undefined) return new Map()
  conversation.say(`
3. The admin of the bot, by the number that is the id of a Telegram account.
`)
  for (;;) {
    const ADMIN_IDS = await askFor(conversation, {
      name: 'Telegram id',
      kept: env.ADMIN_IDS,
      without: 'none, the start prints a code that makes the first admin',
    })
    if (readOrSay(conversation, { ADMIN_IDS }) !== undefined)
      return new Map([['ADMIN_IDS', ADMIN_IDS]])
  }
}

function describeChanges(changes: EnvChanges, written: SetUpDeps['written']): string {
  const width = Math.max(...[...changes.keys()].map(({ length }) => length))
  const lines = [...changes].map(([name, value]) => {
    const old = written[name]
    const instead =
      old === undefined || value === undefined ? '' : `, instead of ${show(name, old)}`
    return `    ${name.padEnd(width)}  ${value === undefined ? 'taken out' : show(name, value)}${instead}`
  })
  return lines.join('\n')
}

function show(name: string, value: string): string {
  return SECRETS.has(name) ? mask(value) : value
}

function describeOutcome({ env, written }: SetUpDeps, changes: EnvChanges): readonly string[] {
  // The variables of the shell count before those of the file.
  const ofShell = [...changes.keys()].filter(
    (name) => env[name] !== undefined && env[name] !== written[name],
  )
  const hidden = ofShell.filter((name) => env[name] !== changes.get(name))
  const remarks = hidden.map(
    (name) => `${name} is set outside of the file, too, and counts there: unset ${name}`,
  )
  const result = readOutcome({ ...env, ...Object.fromEntries(changes) })
  return [...remarks, ...result]
}

function readOutcome(env: StepDeps['env']): readonly string[] {
  try {
    return readConfig(env).notes
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    return error.problems.map((problem) => `a start will be refused: ${problem}`)
  }
}
