import { resolve } from 'node:path'
import type { Command } from 'commander'
import { writeCommand } from '../../platform/write-command.ts'
import { ConfigError, readConfig } from '../../process/config/config.ts'
import { createProgram } from '../command-line/create-program.ts'
import type { CommandDeps } from '../command-line/run-program.ts'
import { askToken } from './ask-token.ts'
import { askUpstream } from './ask-upstream.ts'
import {
  askFor,
  CancelledError,
  mask,
  openConversation,
  readOrSay,
  type SetupStep,
  type StepDeps,
} from './conversation.ts'
import { type EnvChanges, readEnvFile, writeEnvFile } from './env-file.ts'

interface SetUpDeps extends StepDeps {
  written: Readonly<Record<string, string>>
  path: string
}

const ENV_FILE = '.env'

/** The exit status of a program that Ctrl-C ended. */
const CANCELLED = 130

const COLUMNS_DEFAULT = 80

const SECRETS = new Set(['BOT_TOKEN', 'OPENAI_API_KEY'])

/** Creates `kopeck setup`, which writes the file `.env` that `npm start` needs. */
export function createSetupProgram({ use, env, print }: CommandDeps): Command {
  return createProgram({
    use,
    about:
      'Asks for the token of a bot, a key of an upstream and an admin, tries each, and writes them into .env in the ' +
      'working directory. Keys are not shown. It needs a terminal.',
  }).action(run)

  async function run(): Promise<void> {
    const { stdin: input, stdout: output } = process
    if (!input.isTTY || !output.isTTY) {
      throw new Error(
        `${use} needs a terminal for its questions; without one, write .env by hand as .env.example shows`,
      )
    }
    // A terminal without a known width, such as a serial console, reports 0: one character would fill a line.
    output.columns ||= COLUMNS_DEFAULT
    const path = resolve(ENV_FILE)
    const written = await readEnvFile(path)
    const conversation = openConversation({ input, output, onExit: reportCancelled })
    try {
      const isDone = await setUp({ conversation, env, written, path })
      if (isDone) print(`\nStart it:\n\n    ${writeCommand('start')}`)
    } catch (error) {
      if (!(error instanceof CancelledError)) throw error
      reportCancelled()
    }
  }

  function reportCancelled(): void {
    print('\nNothing was written.')
    process.exitCode = CANCELLED
  }
}

/**
 * Asks for a token, a key and an admin, tries each, and writes the answers after the user has seen and confirmed them.
 *
 * @returns False if the user did not confirm.
 * @throws {CancelledError} Nothing was written.
 */
export async function setUp(deps: SetUpDeps): Promise<boolean> {
  const { conversation, env, written, path } = deps
  const { say } = conversation
  say('Enter accepts the proposed value. Nothing is written before the end; Ctrl-C cancels.')
  const asked = new Map<string, string | undefined>()
  for (const step of [askToken, askUpstream, askAdmins]) {
    const changes = await step({ ...deps, env: { ...env, ...Object.fromEntries(asked) } })
    for (const [name, value] of changes) asked.set(name, value)
  }
  const changes = new Map([...asked].filter(([name, value]) => written[name] !== value))
  if (changes.size === 0) {
    say(`${path} needs no changes.`)
    return true
  }
  say(`${path} (readable only by you):\n\n${describeChanges(changes, written)}`)
  for (const remark of describeOutcome(deps, changes)) say(`Note: ${remark}`)
  const replaced = [...changes.keys()].filter((name) => written[name] !== undefined)
  const question =
    replaced.length === 0 ? 'Write it?' : `Write it, and replace ${replaced.join(', ')}?`
  const isWanted = await conversation.confirm(question, { initial: replaced.length === 0 })
  if (isWanted) await writeEnvFile(path, changes)
  say(isWanted ? `Wrote ${path}.` : 'Nothing was written.')
  return isWanted
}

const askAdmins: SetupStep = async ({ conversation, env }) => {
  if (env.BOT_TOKEN === undefined) return new Map()
  conversation.say("3. The bot's admin: the numeric id of a Telegram account")
  for (;;) {
    const ADMIN_IDS = await askFor(conversation, {
      name: 'Telegram id',
      kept: env.ADMIN_IDS,
      without: 'none, the start prints a code for the first admin',
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
    return `    ${name.padEnd(width)}  ${value === undefined ? 'removed' : show(name, value)}${instead}`
  })
  return lines.join('\n')
}

function show(name: string, value: string): string {
  return SECRETS.has(name) ? mask(value) : value
}

function describeOutcome({ env, written }: SetUpDeps, changes: EnvChanges): readonly string[] {
  // The shell's variables override the file's.
  const ofShell = [...changes.keys()].filter(
    (name) => env[name] !== undefined && env[name] !== written[name],
  )
  const hidden = ofShell.filter((name) => env[name] !== changes.get(name))
  const remarks = hidden.map(
    (name) => `the shell also sets ${name}, which overrides the file: unset ${name}`,
  )
  const result = readOutcome({ ...env, ...Object.fromEntries(changes) })
  return [...remarks, ...result]
}

function readOutcome(env: StepDeps['env']): readonly string[] {
  try {
    return readConfig(env).notes
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    return error.problems.map((problem) => `Kopeck will not start: ${problem}`)
  }
}
