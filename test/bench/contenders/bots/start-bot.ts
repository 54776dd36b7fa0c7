import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Checkout, npmStart } from '../../checkout.ts'
import {
  type Program,
  plainNode,
  type RunningProgram,
  startProgram,
} from '../../measuring/program.ts'
import type { BenchContext } from '../../part.ts'

const BARE_BOT = plainNode(join(import.meta.dirname, 'bare-bot.ts'))

/** The parts that a bot stands between. */
export interface BotSurroundings {
  telegram: { token: string; apiRoot: string }
  service: { baseUrl: string }
}

/** A bot that can be measured. */
export interface Bot {
  name: 'bare' | Checkout['name']
  usesDatabase: boolean
  start(surroundings: BotSurroundings): Promise<RunningProgram>
}

/** The plainest bot, and ours with an empty database. */
export function findBots(context: BenchContext): Bot[] {
  const { checkouts, only } = context
  const bare: Bot = {
    name: 'bare',
    usesDatabase: false,
    start: (surroundings) => start({ program: BARE_BOT }, surroundings, context),
  }
  const ours = checkouts.map(
    (checkout): Bot => ({
      name: checkout.name,
      usesDatabase: true,
      start: async (surroundings) => {
        const databaseUrl = await context.database.create(checkout)
        return await startKopeckBot({ ...surroundings, checkout, databaseUrl }, context)
      },
    }),
  )
  return [bare, ...ours].filter(({ name }) => only?.has(name) ?? true)
}

/** Starts the bot of a checkout on a database. `stop()` removes its files as well. */
export async function startKopeckBot(
  surroundings: BotSurroundings & {
    checkout: Checkout
    databaseUrl: string
    env?: Readonly<Record<string, string>>
  },
  context: Pick<BenchContext, 'cores' | 'signal'>,
): Promise<RunningProgram> {
  const { checkout, databaseUrl, env } = surroundings
  const dataDir = await mkdtemp(join(tmpdir(), 'kopeck-bench-'))
  const removeFiles = () => rm(dataDir, { recursive: true, force: true })
  try {
    const bot = await start(
      {
        program: await npmStart(checkout, 'bot'),
        root: checkout.root,
        env: { DATABASE_URL: databaseUrl, DATA_DIR: dataDir, PORT: '0', ...env },
      },
      surroundings,
      context,
    )
    return { ...bot, stop: () => bot.stop().finally(removeFiles) }
  } catch (error) {
    await removeFiles()
    throw error
  }
}

function start(
  { program, root, env }: { program: Program; root?: string; env?: Record<string, string> },
  { telegram, service }: BotSurroundings,
  { cores, signal }: Pick<BenchContext, 'cores' | 'signal'>,
): Promise<RunningProgram> {
  return startProgram({
    ...(root !== undefined && { root }),
    program,
    core: cores.measured,
    signal,
    env: {
      BOT_TOKEN: telegram.token,
      TELEGRAM_API_ROOT: telegram.apiRoot,
      ALLOWED_USER_IDS: '*',
      SERVICE_URL: service.baseUrl,
      SERVICE_API_KEY: 'bench-key',
      SERVICE_LIMITS: '{"chat":100000}',
      LOG_LEVEL: 'info',
      ...env,
    },
  })
}
