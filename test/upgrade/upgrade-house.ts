import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { expect, onTestFailed, onTestFinished } from 'vitest'
import { findRunningDatabase } from '../../src/platform/database/embedded/embedded.ts'
import { REPEAT, SEED } from '../e2e/chaos/length.ts'
import { createRandom } from '../e2e/chaos/random.ts'
import { feed, NOTHING, readGoingOn } from '../e2e/chaos/spend/going-on.ts'
import { judgeSpend } from '../e2e/chaos/spend/judge-spend.ts'
import { writeServiceConfig } from '../e2e/chaos/spend/service-config.ts'
import { setLimits } from '../e2e/chaos/spend/set-limits.ts'
import { createSpendUsers } from '../e2e/chaos/spend/spend-users.ts'
import { createUnsteadyModel } from '../e2e/chaos/spend/unsteady-model.ts'
import { traceUpdates } from '../e2e/chaos/trace-updates.ts'
import { openUpstream } from '../e2e/chaos/unsteady-upstream.ts'
import { type Kopeck, startKopeck } from '../e2e/kopeck.ts'
import { openTelegram } from '../e2e/telegram-user.ts'
import { letMinutesFly } from '../service/let-time-pass.ts'
import type { Version } from './versions.ts'

/** UPGRADE_MESSAGES=2000 for a long look. */
export const MESSAGES = Number(process.env.UPGRADE_MESSAGES ?? 36)
const USERS = 20
const GROUPS = 2
const UNDER_WAY_MAX = 6
const REST = { timeout: 60_000 + MESSAGES * 200, interval: 250 }
/** For a test that waits for rest three times. */
export const TIMEOUT_MS = 3 * REST.timeout

const HANDLED = 'SELECT count(*)::int FROM bot.update WHERE handled_at IS NOT NULL'
const RESULTS = `
  SELECT unnest(result_urls) AS url FROM bot."order" WHERE state = 'delivered' ORDER BY id`

/** Opens Telegram with users who write and order, and all who work behind the service, until the test has finished. */
export async function openUpgradeHouse() {
  onTestFailed(() => console.error(REPEAT))
  const folder = await mkdtemp(join(tmpdir(), 'kopeck-upgrade-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  // How the bot keeps Telegram's limits is another story.
  const telegram = await openTelegram({ flood: 'off' })
  onTestFinished(() => telegram.close())
  const model = createUnsteadyModel(createRandom(`${SEED} model`))
  const upstream = await openUpstream(model.respond)
  onTestFinished(() => upstream.close())
  const random = createRandom(`${SEED} users`)
  const users = createSpendUsers(telegram, { random, users: USERS, groups: GROUPS })
  users.begin()
  const env = { ...telegram.env, ...(await writeServiceConfig(folder, upstream.origin)) }
  return { folder, telegram, model, env, start, openDatabase, writeDuring, handle, settle, judge }

  /** Starts a process of all roles. */
  async function start({ command }: Version, own: Record<string, string>): Promise<Kopeck> {
    const started = await startKopeck({ ...env, ...own }, [], { command })
    onTestFinished(() => started.kill())
    return started
  }

  /** Opens the database that the first start has made, and gives users limits there. */
  async function openDatabase(url: string): Promise<pg.Pool> {
    const pool = openPool(url)
    await letMinutesFly(pool)
    await traceUpdates(pool)
    await setLimits(pool, random, { ...users, messages: MESSAGES })
    return pool
  }

  /** Has users write as long as something is done, and so many messages at least. */
  async function writeDuring(pool: pg.Pool, messages: number, work = async () => {}) {
    const until = users.sent.length + messages
    let isDone = false
    const isFed = () => isDone && users.sent.length >= until
    const working = work().finally(() => {
      isDone = true
    })
    await Promise.all([feed(pool, users, { underWayMax: UNDER_WAY_MAX, isFed }), working])
  }

  /** Waits until so many updates more are handled. */
  async function handle(pool: pg.Pool, updates: number): Promise<void> {
    const count = async () => (await pool.query<{ count: number }>(HANDLED)).rows[0]?.count ?? 0
    const until = updates + (await count())
    await expect.poll(count, REST).toBeGreaterThanOrEqual(until)
  }

  /** Waits until nothing is under way. */
  async function settle(pool: pg.Pool): Promise<void> {
    await expect.poll(() => readGoingOn(pool), REST).toEqual(NOTHING)
  }

  /**
   * Judges all that was ever written, answered, made and charged, by whichever version: nothing may be lost, nothing
   * done twice, and each result must still be there at a process of this version.
   *
   * @returns Sentences, one for each thing that must not be.
   */
  async function judge(pool: pg.Pool, { address }: Pick<Kopeck, 'address'>): Promise<string[]> {
    const { problems, figures } = await judgeSpend(pool, {
      telegram,
      sent: users.sent,
      model,
      faults: [],
    })
    const { rows } = await pool.query<{ url: string }>(RESULTS)
    for (const { url } of rows) {
      const { status } = await fetch(`${address}${new URL(url).pathname}`)
      if (status !== 200) problems.push(`${url} is answered with ${status}`)
    }
    console.info(`${users.sent.length} messages, ${rows.length} results`, figures)
    return problems
  }
}

/** Opens a database that may end before the test does. */
export function openPool(url: string): pg.Pool {
  const pool = new pg.Pool({ connectionString: url, max: 3 })
  pool.on('error', () => {})
  onTestFinished(() => pool.end())
  return pool
}

/** @returns The address of the embedded server that a running process has. */
export async function findEmbedded(dataDir: string): Promise<string> {
  const url = await findRunningDatabase(dataDir)
  if (url === undefined) throw new Error(`Cannot find a running server in ${dataDir}`)
  return url
}
