import { resolve } from 'node:path'
import type { Command } from 'commander'
import { createTelegramApi } from '../../bot/telegram/api.ts'
import { readFailure } from '../../bot/telegram/errors.ts'
import { writeCommand } from '../../platform/installation.ts'
import { readConfig } from '../../process/config.ts'
import { openProxies } from '../../process/process-proxies.ts'
import { type CommandContext, createProgram } from '../program.ts'
import {
  askFor,
  CancelledError,
  type Conversation,
  mask,
  openConversation,
  readOrSay,
  type SetupStep,
} from './conversation.ts'
import { type Env, readEnvFile, writeEnvFile } from './env-file.ts'
import { askUpstream } from './upstream.ts'

/** The exit status of a program that Ctrl-C ended. */
const CANCELLED = 130
const COLUMNS_DEFAULT = 80
const SECRETS = new Set(['BOT_TOKEN', 'OPENAI_API_KEY'])

/** `kopeck setup`: writes the file `.env` that `npm start` needs. */
export function createSetupProgram({ env, print, ...help }: CommandContext): Command {
  return createProgram(help).action(run)

  async function run(): Promise<void> {
    const { stdin: input, stdout: output } = process
    if (!input.isTTY || !output.isTTY) {
      throw new Error(
        `${help.use} needs a terminal for its questions; without one, write .env by hand as .env.example shows`,
      )
    }
    // A terminal without a known width, such as a serial console, reports 0: one character would fill a line.
    output.columns ||= COLUMNS_DEFAULT
    const path = resolve('.env')
    const conversation = openConversation({ input, output })
    // Questions read Ctrl-C themselves; between them it is a signal.
    process.once('SIGINT', cancel)
    try {
      const isDone = await setUp({ conversation, env, path })
      if (isDone) print(`\nStart it:\n\n    ${writeCommand('start')}`)
    } catch (error) {
      if (!(error instanceof CancelledError)) throw error
      cancel()
    }
  }

  function cancel(): never {
    print('\nNothing was written.')
    process.exit(CANCELLED)
  }
}

interface SetUpContext {
  conversation: Conversation
  /** The variables of the file and of the shell, which override those of the file. */
  env: Env
  path: string
}

/** Asks for a token, a key and an admin, tries each, and writes the answers if the user confirms. Returns whether. */
export async function setUp({ conversation, env, path }: SetUpContext): Promise<boolean> {
  const { say } = conversation
  const written: Env = await readEnvFile(path)
  say('Enter accepts the proposed value. Nothing is written before the end; Ctrl-C cancels.')
  let asked: Env = {}
  for (const step of [askToken, askUpstream, askAdmins]) {
    asked = { ...asked, ...(await step(conversation, { ...env, ...asked })) }
  }
  const changed = Object.entries(asked).filter(([name, value]) => written[name] !== value)
  const changes = Object.fromEntries(changed)
  if (changed.length === 0) {
    say(`${path} needs no changes.`)
    return true
  }
  say(`${path} (readable only by you):\n\n${describeChanges(changes, written)}`)
  for (const [name, value] of changed) {
    const isOverridden = env[name] !== undefined && env[name] !== written[name]
    if (!isOverridden || env[name] === value) continue
    say(`Note: the shell also sets ${name}, which overrides the file: unset ${name}`)
  }
  const sayProblem = (problem: string) => say(`Note: Kopeck will not start: ${problem}`)
  const config = readOrSay({ say: sayProblem }, { ...env, ...changes })
  for (const note of config?.notes ?? []) say(`Note: ${note}`)
  const replaced = Object.keys(changes).filter((name) => written[name] !== undefined)
  const isNew = replaced.length === 0
  const question = isNew ? 'Write it?' : `Write it, and replace ${replaced.join(', ')}?`
  const isWanted = await conversation.confirm(question, { initial: isNew })
  if (isWanted) await writeEnvFile(path, changes)
  say(isWanted ? `Wrote ${path}.` : 'Nothing was written.')
  return isWanted
}

/** Tries a token by `getMe`. A refused token is useless; without an answer it may be right. */
const askToken: SetupStep = async (conversation, { BOT_TOKEN, ...env }) => {
  const { say, confirm } = conversation
  const { TELEGRAM_API_ROOT, TELEGRAM_PROXY } = env
  const toEnv = (token: string) => ({ BOT_TOKEN: token, TELEGRAM_API_ROOT, TELEGRAM_PROXY })
  const without = 'none, the playground replaces Telegram'
  say('1. The Telegram bot: send /newbot to @BotFather, which creates a bot and shows its token')
  for (let kept = BOT_TOKEN; ; ) {
    const question = { name: 'Token', kept, without, isSecret: true, toEnv }
    const token = await askFor(conversation, question)
    if (token === undefined) return { BOT_TOKEN: undefined }
    say('Trying the token …')
    const config = readConfig(toEnv(token))
    const { apiRoot } = config.telegram
    const host = apiRoot === undefined ? 'Telegram' : new URL(apiRoot).host
    const { calls } = createTelegramApi({ token, apiRoot, proxies: openProxies(config).telegram })
    try {
      const { username } = await calls.getMe()
      say(`The token of @${username} works.`)
      return { BOT_TOKEN: token }
    } catch (error) {
      const failure = readFailure(error)
      if (failure.type === 'refused') {
        say(
          `${host} rejected this token (${failure.status} ${failure.reason}). Send /mybots to @BotFather to see the right one.`,
        )
        continue
      }
      const reason = failure.type === 'flooded' ? 'too many requests' : failure.reason
      say(
        `${host} does not answer (${reason}). If it is blocked here, set TELEGRAM_PROXY=socks5://host:port.`,
      )
      if (await confirm('Keep it untried?', { initial: false })) return { BOT_TOKEN: token }
      kept = token
    }
  }
}

const askAdmins: SetupStep = async (conversation, env) => {
  if (env.BOT_TOKEN === undefined) return {}
  conversation.say("3. The bot's admin: the numeric id of a Telegram account")
  const ADMIN_IDS = await askFor(conversation, {
    name: 'Telegram id',
    kept: env.ADMIN_IDS,
    without: 'none, the start prints a code for the first admin',
    toEnv: (ADMIN_IDS) => ({ ADMIN_IDS }),
  })
  return { ADMIN_IDS }
}

function describeChanges(changes: Env, written: Env): string {
  const show = (name: string, value: string) => (SECRETS.has(name) ? mask(value) : value)
  const lines = Object.entries(changes).map(([name, value]) => {
    const old = written[name]
    if (value === undefined) return `    ${name}: removed`
    const instead = old === undefined ? '' : `, instead of ${show(name, old)}`
    return `    ${name}: ${show(name, value)}${instead}`
  })
  return lines.join('\n')
}
