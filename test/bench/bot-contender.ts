import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Contender, kopeck, type Program, plainNode, startContender } from './contender.ts'

const BARE_BOT = join(import.meta.dirname, 'bare-bot.ts')

/** Who is measured: the plainest bot, and ours. */
export const BOTS = {
  bare: plainNode(BARE_BOT),
  kopeck: kopeck('bot'),
} satisfies Record<string, Program>
export type BotName = keyof typeof BOTS

export interface BotSurroundings {
  telegram: { token: string; apiRoot: string }
  service: { baseUrl: string }
  databaseUrl: string
  signal: AbortSignal
}

/** Starts a bot between a Telegram and a service. `stop()` removes its files as well. */
export async function startBot(
  name: BotName,
  { telegram, service, databaseUrl, signal }: BotSurroundings,
): Promise<Contender> {
  const dataDir = await mkdtemp(join(tmpdir(), 'kopeck-bench-'))
  const removeFiles = () => rm(dataDir, { recursive: true, force: true })
  const env = {
    BOT_TOKEN: telegram.token,
    TELEGRAM_API_ROOT: telegram.apiRoot,
    ALLOWED_USER_IDS: '*',
    SERVICE_URL: service.baseUrl,
    SERVICE_API_KEY: 'bench-key',
    SERVICE_LIMITS: '{"chat":100000}',
    DATABASE_URL: databaseUrl,
    DATA_DIR: dataDir,
    PORT: '0',
    LOG_LEVEL: 'info',
  }
  try {
    const contender = await startContender({ program: BOTS[name], signal, env })
    return { ...contender, stop: () => contender.stop().finally(removeFiles) }
  } catch (error) {
    await removeFiles()
    throw error
  }
}
