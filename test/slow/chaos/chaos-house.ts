import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import pg from 'pg'
import { onTestFinished } from 'vitest'
import { migrate } from '../../../src/platform/database/migrate.ts'
import type { PlaygroundOptions } from '../../../src/playground/playground.ts'
import { createAccount } from '../../../src/service/ledger/accounts.ts'
import { createApiKey } from '../../../src/service/ledger/api-keys.ts'
import { type CuttableProxy, openCuttableProxy } from '../../bot/cuttable-proxy.ts'
import { createTestDatabase } from '../../platform/database/test-database.ts'
import { findFreePort } from '../../platform/http/free-port.ts'
import { letMinutesFly } from '../../service/let-time-pass.ts'
import { type Kopeck, NO_SERVICE_LIMITS, startKopeck } from '../../support/kopeck.ts'
import { openTelegram, type Telegram } from '../../support/telegram-user.ts'
import { type PostgresServer, startPostgresServer } from './postgres-server.ts'

const SHIFT_CLOCK = pathToFileURL(join(import.meta.dirname, 'shift-clock.ts')).href
/** The clock shifts of the bot's two processes: one would be early, the other late. */
const BOT_SHIFTS_MS = [7_200_000, -7_200_000]
const SERVICE_SHIFT_MS = 3_600_000
const LAST_WORDS = 40

/** Asks if so many turns have ended, and nothing is under way. */
export const AT_REST = `
  SELECT NOT EXISTS (SELECT FROM bot.update WHERE handled_at IS NULL)
     AND NOT EXISTS (SELECT FROM bot.turn WHERE ended_at IS NULL OR lease_owner IS NOT NULL)
     AND NOT EXISTS (SELECT FROM service.request WHERE ended_at IS NULL)
     AND (SELECT count(*) FROM bot.turn) = $1 AS "isAtRest"`

/** A process of ours, and its own way to the database. */
export interface ChaosProcess {
  process: Kopeck
  proxy: CuttableProxy
  restart(): Promise<void>
}

/** Telegram, PostgreSQL, the service, and two processes of the bot that share its database. */
export interface ChaosHouse {
  telegram: Telegram
  server: PostgresServer | undefined
  pool: pg.Pool
  processes: ChaosProcess[]
  logged(words: string): string[]
  stop(): Promise<(number | null)[]>
}

export interface ChaosHouseOptions {
  remote?: Record<string, string>
  env?: Record<string, string>
  bots?: 1 | 2
  telegram?: PlaygroundOptions
  crashes?: boolean
}

/** Opens all of it until the test has finished. */
export async function openChaosHouse({
  remote,
  env = {},
  bots: count = 2,
  telegram: playground = {},
  crashes = false,
}: ChaosHouseOptions = {}): Promise<ChaosHouse> {
  const dataDir = await mkdtemp(join(tmpdir(), 'kopeck-chaos-'))
  onTestFinished(() => rm(dataDir, { recursive: true }))
  const telegram = await openTelegram(playground)
  onTestFinished(() => telegram.close())
  const server = crashes ? await openServer() : undefined
  const databaseUrl = new URL(server?.url ?? (await createTestDatabase()))
  const pool = new pg.Pool({ connectionString: databaseUrl.href, max: 3 })
  // It is ended with everybody else's.
  pool.on('error', () => {})
  onTestFinished(() => pool.end())
  const logs: (readonly string[])[] = []
  const own = remote === undefined ? await openService() : undefined
  const bots = await Promise.all(BOT_SHIFTS_MS.slice(0, count).map(openBot))
  const processes = own === undefined ? bots : [...bots, own.service]
  return { telegram, server, pool, processes, logged, stop }

  async function openServer(): Promise<PostgresServer> {
    const opened = await startPostgresServer(dataDir)
    onTestFinished(() => opened.stop())
    await migrate(opened.url)
    return opened
  }

  async function openService() {
    await letMinutesFly(pool)
    const account = await createAccount(pool, { name: 'bot', creditMicroRub: 1_000_000_000_000n })
    const service = await openProcess('service', SERVICE_SHIFT_MS, { PORT: await findFreePort() })
    return { service, account }
  }

  /** A key for each bot: none is revoked by another's start. */
  async function findService(): Promise<Record<string, string>> {
    if (own === undefined) return remote ?? {}
    return {
      SERVICE_URL: `${own.service.process.address}/api/v1`,
      SERVICE_API_KEY: await createApiKey(pool, own.account.id),
    }
  }

  async function openBot(shiftMs: number, index: number): Promise<ChaosProcess> {
    const service = await findService()
    return openProcess('bot', shiftMs, {
      ...telegram.env,
      ...NO_SERVICE_LIMITS,
      ...service,
      DATA_DIR: join(dataDir, `bot-${index}`),
    })
  }

  async function openProcess(
    role: 'bot' | 'service',
    shiftMs: number,
    more: Record<string, string>,
  ): Promise<ChaosProcess> {
    const proxy = await openCuttableProxy(Number(databaseUrl.port))
    onTestFinished(() => proxy.cut())
    const url = new URL(databaseUrl)
    url.port = String(proxy.port)
    const own = {
      DATABASE_URL: url.href,
      DATA_DIR: join(dataDir, role),
      NODE_OPTIONS: `--import=${SHIFT_CLOCK}`,
      CLOCK_SHIFT_MS: String(shiftMs),
    }
    const start = async () => {
      const started = await startKopeck({ ...own, ...more, ...env }, [role])
      logs.push(started.lines)
      return started
    }
    const opened: ChaosProcess = {
      process: await start(),
      proxy,
      restart: async () => {
        opened.process = await start()
      },
    }
    onTestFinished(() => opened.process.kill())
    return opened
  }

  function logged(words: string): string[] {
    return logs.flat().filter((line) => line.includes(words))
  }

  /** The bots first: the service answers them until they have ended. */
  async function stop(): Promise<(number | null)[]> {
    const codes = await Promise.all(bots.map(({ process }) => end(process)))
    return own === undefined ? codes : [...codes, await end(own.service.process)]
  }

  /** Of one that ends with a failure its last words are shown: its log is gone with the test. */
  async function end(ending: Kopeck): Promise<number | null> {
    const code = await ending.stop()
    if (code !== 0) console.error(ending.lines.slice(-LAST_WORDS).join('\n'))
    return code
  }
}
