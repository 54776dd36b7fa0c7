import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { expect, test } from 'vitest'
import { createTestDatabase } from '../platform/database/test-database.ts'
import { findFreePort } from '../platform/http/free-port.ts'
import { letMinutesFly } from '../service/let-time-pass.ts'
import { NO_SERVICE_LIMITS, startKopeck } from './kopeck.ts'
import { openTelegram, type Telegram } from './telegram-user.ts'

/** CRASH_ROUNDS=10 for a long look; each round is one kill in the middle of a reply and of a clip. */
const ROUNDS = Number(process.env.CRASH_ROUNDS ?? 2)
/** A reply and a clip are both over in about this time. */
const MOMENT_MS_MAX = 3500
const ROUND_TIMEOUT_MS = 60_000

const NOTHING_LEFT = `
  SELECT NOT EXISTS (SELECT FROM bot.update WHERE handled_at IS NULL)
     AND NOT EXISTS (SELECT FROM bot.turn WHERE state = 'streaming')
     AND NOT EXISTS (SELECT FROM bot.order WHERE state NOT IN ('delivered', 'failed'))
     AND NOT EXISTS (SELECT FROM service.hold WHERE state = 'held')
     AND (SELECT count(*) FROM bot.turn) = $1 AND (SELECT count(*) FROM bot.order) = $1 AS at_rest`

/** What one user asked for. */
interface Asked {
  userId: number
  textId: number
  orderId: number
}

function ask(telegram: Telegram, userId: number): Asked {
  return {
    userId,
    textId: telegram.say(userId, 'Write 1500 characters about kopecks'),
    orderId: telegram.say(userId, '/video 5s a paper boat on a brook'),
  }
}

// Promise: A process is killed (`kill -9`)
test(`kill -9 at ${ROUNDS} random moments: every text is answered, every clip comes once, the ledger is right`, {
  timeout: ROUNDS * ROUND_TIMEOUT_MS,
}, async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'kopeck-crash-'))
  const telegram = await openTelegram()
  const url = await createTestDatabase()
  const env = {
    ...telegram.env,
    ...NO_SERVICE_LIMITS,
    DATABASE_URL: url,
    DATA_DIR: dataDir,
    PORT: await findFreePort(),
    LOG_LEVEL: 'info',
  }
  const database = new pg.Client({ connectionString: url })
  await database.connect()
  const rows = async (sql: string, values: unknown[] = []) =>
    (await database.query(sql, values)).rows
  const moments: number[] = []
  const asked: Asked[] = []

  let kopeck = await startKopeck(env)
  // Three clips a minute would make the tenth round a long one.
  await letMinutesFly(database)
  for (let round = 1; round <= ROUNDS; round += 1) {
    asked.push(ask(telegram, 600 + round))
    // The random moment is what this test is about; nothing waits for its length.
    const moment = Math.floor(Math.random() * MOMENT_MS_MAX)
    moments.push(moment)
    await delay(moment)
    await kopeck.kill()
    kopeck = await startKopeck(env)
  }
  const message = `killed after ${moments.join(', ')} ms`
  await expect
    .poll(async () => (await rows(NOTHING_LEFT, [ROUNDS]))[0]?.at_rest, {
      timeout: ROUND_TIMEOUT_MS,
      message,
    })
    .toBe(true)

  for (const { userId, textId, orderId } of asked) {
    const clips = telegram.clips(userId)
    expect(clips, message).toHaveLength(1)
    expect(clips[0]?.replyToMessageId, message).toBe(orderId)
    expect(telegram.answers(userId, textId).length, message).toBeGreaterThan(0)
  }
  const charges = await rows(
    `SELECT kind, count(*)::int FROM bot.charge WHERE reversal_of IS NULL AND NOT EXISTS (
       SELECT FROM bot.charge AS taken WHERE taken.reversal_of = charge.id)
     GROUP BY kind ORDER BY kind`,
  )
  expect(charges, message).toEqual([
    { kind: 'answer', count: ROUNDS },
    { kind: 'video', count: ROUNDS },
  ])
  const taskCharges = await rows(`SELECT count(*)::int FROM service.entry WHERE kind = 'charge'`)
  expect(taskCharges, message).toEqual([{ count: ROUNDS }])
  expect(await rows('SELECT * FROM service.ledger_fault'), message).toEqual([])

  await kopeck.stop()
  await database.end()
  await telegram.close()
  await rm(dataDir, { recursive: true })
})
