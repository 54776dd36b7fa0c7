import { join } from 'node:path'
import pg from 'pg'
import { migrate } from '../../src/platform/database/migrate.ts'
import { createAccount } from '../../src/service/ledger/accounts.ts'
import { createApiKey } from '../../src/service/ledger/keys/api-keys.ts'
import { findFreePort } from '../platform/http/free-port.ts'
import { letMinutesFly } from '../service/let-time-pass.ts'
import { type Kopeck, NO_SERVICE_LIMITS, startKopeck } from '../support/kopeck.ts'
import { openTelegram, type Telegram } from '../support/telegram-user.ts'

const CREDIT_MICRO_RUB = 1_000_000_000_000n

/** Telegram, two processes of the service and two of the bot, on one database. */
export interface House {
  telegram: Telegram
  /** The judge's own connections. */
  pool: pg.Pool
  /** The roots of both services, and the key of an account that is not the bot's. */
  addresses: readonly string[]
  apiKey: string
  /** The log of each process, by its name. */
  logs: ReadonlyMap<string, readonly string[]>
  /** Sentences on processes that have ended by themselves. */
  ended: readonly string[]
  /** Ends the processes in order. @returns Their exit codes. */
  stop(): Promise<(number | null)[]>
}

/** Migrates the database, and starts all of it. */
export async function openHouse(folder: string, databaseUrl: string): Promise<House> {
  await migrate(databaseUrl)
  const pool = new pg.Pool({ connectionString: databaseUrl, max: 3 })
  // It is ended with everybody else's, and each look at the money listens to it.
  pool.on('error', () => {})
  pool.setMaxListeners(0)
  await letMinutesFly(pool)
  const telegram = await openTelegram({ flood: 'off' })
  const bot = await createAccount(pool, { name: 'bot', creditMicroRub: CREDIT_MICRO_RUB })
  const clients = await createAccount(pool, { name: 'clients', creditMicroRub: CREDIT_MICRO_RUB })
  const processes: Kopeck[] = []
  const ended: string[] = []
  const logs = new Map<string, readonly string[]>()
  const ports = [await findFreePort(), await findFreePort()]
  const services = await Promise.all(ports.map(startService)).catch(fail)
  await Promise.all(services.map(startBot)).catch(fail)
  return {
    telegram,
    pool,
    addresses: services.map(({ address }) => address),
    apiKey: await createApiKey(pool, clients.id),
    logs,
    ended,
    stop,
  }

  async function startService(port: string): Promise<Kopeck> {
    return await startProcess('service', {
      PORT: port,
      // The results of one are served by the other.
      DATA_DIR: join(folder, 'service'),
    })
  }

  /** A key for each bot: none is revoked by another's start. */
  async function startBot({ address }: Kopeck, index: number): Promise<Kopeck> {
    return await startProcess('bot', {
      ...telegram.env,
      ...NO_SERVICE_LIMITS,
      // What was made at one service may be found at the other.
      RESULT_ALLOW: ports.map((port) => `127.0.0.1:${port}`).join(','),
      SERVICE_URL: `${address}/api/v1`,
      SERVICE_API_KEY: await createApiKey(pool, bot.id),
      DATA_DIR: join(folder, `bot-${index}`),
    })
  }

  async function startProcess(role: string, env: Record<string, string>): Promise<Kopeck> {
    const started = await startKopeck({ DATABASE_URL: databaseUrl, ...env }, [role])
    processes.push(started)
    void started.exited.then((code) => ended.push(`a ${role} ended with ${code}`))
    logs.set(`${role}-${started.pid}`, started.lines)
    return started
  }

  /** Those that have begun would go on. */
  async function fail(error: unknown): Promise<never> {
    for (const process of processes) await process.kill()
    throw error
  }

  /** The bots first: the services answer them until they have ended. */
  async function stop(): Promise<(number | null)[]> {
    const codes: (number | null)[] = []
    for (const process of processes.toReversed()) codes.push(await process.stop())
    await telegram.close()
    await pool.end()
    return codes
  }
}
