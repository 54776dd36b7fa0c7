import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { expect, test } from 'vitest'
import { createAccount } from '../../src/service/ledger/accounts.ts'
import { createApiKey } from '../../src/service/ledger/api-keys.ts'
import { createTestDatabase } from '../platform/database/test-database.ts'
import { letMinutesFly } from '../service/let-time-pass.ts'
import { readKillsReport } from './kills-report.ts'
import { NO_SERVICE_LIMITS, startKopeck } from './kopeck.ts'
import { openTelegram } from './telegram-user.ts'

/** KILLS=200 for a long look. */
const KILLS = Number(process.env.KILLS ?? 6)
const CHATS = 50
/** The bot lives for up to so long between two kills. */
const LIFE_MS_MAX = 4000
const KILL_TIMEOUT_MS = 20_000
const REST_TIMEOUT_MS = 120_000

const IDLE_CHATS = `
  SELECT chat_id::int AS chat FROM unnest($1::int[]) AS chat_id
  WHERE NOT EXISTS (SELECT FROM bot.update
    WHERE handled_at IS NULL AND (payload #>> '{message,chat,id}')::bigint = chat_id)`

test(`kill -9 of the bot at ${KILLS} random moments under ${CHATS} chats: each message is answered once or explained, and charged once`, {
  timeout: KILLS * KILL_TIMEOUT_MS + REST_TIMEOUT_MS,
}, async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'kopeck-kills-'))
  const telegram = await openTelegram()
  const url = await createTestDatabase()
  const pool = new pg.Pool({ connectionString: url, max: 3 })
  const service = await startKopeck({ DATABASE_URL: url, DATA_DIR: dataDir }, ['service'])
  await letMinutesFly(pool)
  const account = await createAccount(pool, { name: 'bot', creditMicroRub: 1_000_000_000_000n })
  const env = {
    ...telegram.env,
    ...NO_SERVICE_LIMITS,
    DATABASE_URL: url,
    DATA_DIR: dataDir,
    SERVICE_URL: `${service.address}/api/v1`,
    SERVICE_API_KEY: await createApiKey(pool, account.id),
  }
  const chats = Array.from({ length: CHATS }, (_, index) => 2000 + index)
  const said = new Map<number, string[]>(chats.map((chat) => [chat, []]))

  /** Each chat that has its answer says something new. */
  const sayMore = async () => {
    const { rows } = await pool.query<{ chat: number }>(IDLE_CHATS, [chats])
    for (const { chat } of rows) {
      const texts = said.get(chat) ?? []
      const text = `Note ${chat}-${texts.length}. Write 700 characters`
      texts.push(text)
      telegram.say(chat, text)
    }
  }

  let bot = await startKopeck(env, ['bot'])
  for (let kill = 1; kill <= KILLS; kill += 1) {
    await sayMore()
    // The random moment is what this test is about; nothing waits for its length.
    await delay(Math.random() * LIFE_MS_MAX)
    await bot.kill()
    await sayMore()
    bot = await startKopeck(env, ['bot'])
  }
  const atRest = `
    SELECT NOT EXISTS (SELECT FROM bot.update WHERE handled_at IS NULL)
       AND NOT EXISTS (SELECT FROM bot.turn WHERE state = 'streaming' OR ended_at IS NULL)
       AND (SELECT count(*) FROM bot.turn) = $1 AS done`
  const total = [...said.values()].reduce((sum, texts) => sum + texts.length, 0)
  await expect
    .poll(async () => (await pool.query(atRest, [total])).rows[0]?.done, {
      timeout: REST_TIMEOUT_MS,
      interval: 500,
    })
    .toBe(true)

  const report = await readKillsReport(pool, telegram.playground, said)
  process.stdout.write(`${KILLS} kills: ${JSON.stringify(report.counts)}\n`)
  expect(report.faults).toEqual([])
  expect((await pool.query('SELECT * FROM service.ledger_fault')).rows).toEqual([])

  expect(await bot.stop()).toBe(0)
  expect(await service.stop()).toBe(0)
  await pool.end()
  await telegram.close()
  await rm(dataDir, { recursive: true })
})
