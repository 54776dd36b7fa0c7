import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase } from '../platform/database/test-database.ts'
import { findFreePort } from '../platform/http/free-port.ts'
import { letMinutesFly } from '../service/let-time-pass.ts'
import { type Kopeck, NO_SERVICE_LIMITS, startKopeck } from '../support/kopeck.ts'
import { openTelegram, type Telegram } from '../support/telegram-user.ts'

const VIDEO_TIMEOUT_MS = 40_000

let dataDir: string
let telegram: Telegram
let env: Record<string, string>
let database: pg.Client
let kopeck: Kopeck

// Each test has a user of its own, and the program goes on from one to the next.
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'kopeck-'))
  telegram = await openTelegram()
  const url = await createTestDatabase()
  const own = { DATABASE_URL: url, DATA_DIR: dataDir, PORT: await findFreePort() }
  env = { ...telegram.env, ...NO_SERVICE_LIMITS, ...own }
  database = new pg.Client({ connectionString: url })
  await database.connect()
  kopeck = await startKopeck(env)
  // Three videos a minute would make the fourth wait.
  await letMinutesFly(database)
  // A state can pass in milliseconds, so the database itself reports it.
  await database.query(`
    CREATE FUNCTION report_state() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN PERFORM pg_notify('reached', NEW.state || ' ' || NEW.user_id); RETURN NEW; END $$;
    CREATE TRIGGER report_state AFTER UPDATE ON bot.order FOR EACH ROW
      EXECUTE FUNCTION report_state();
    LISTEN reached`)
})

afterAll(async () => {
  await kopeck.stop()
  await database.end()
  await telegram.close()
  await rm(dataDir, { recursive: true })
})

async function rows(sql: string, values: unknown[] = []): Promise<Record<string, unknown>[]> {
  return (await database.query(sql, values)).rows
}

async function expectDelivered(user: number): Promise<void> {
  const state = async () =>
    (await rows('SELECT state FROM bot.order WHERE user_id = $1', [user]))[0]?.state
  await expect.poll(state, { timeout: VIDEO_TIMEOUT_MS }).toBe('delivered')
}

/** Expects what must be true of one delivered order, however often the program died on the way. */
async function expectDeliveredOnce(user: number): Promise<void> {
  const videos = telegram.videos(user)
  expect(videos).toHaveLength(1)
  expect(videos[0]?.video).toMatchObject({
    width: 1280,
    height: 720,
    duration: 5,
    mime: 'video/mp4',
    supportsStreaming: true,
  })
  expect(videos[0]?.video?.bytes?.subarray(4, 8).toString()).toBe('ftyp')
  const charges = 'SELECT kind, amount_micro_rub, estimated FROM bot.charge WHERE user_id = $1'
  expect(await rows(charges, [user])).toEqual([
    { kind: 'video', amount_micro_rub: '40000000', estimated: false },
  ])
  // A task and a charge of the service's for each order of the bot's: none was made twice.
  const orders = (await rows('SELECT FROM bot.order')).length
  expect(await rows('SELECT status FROM service.task')).toEqual(
    Array(orders).fill({ status: 'success' }),
  )
  const moved = `SELECT amount_micro_rub FROM service.movement WHERE amount_micro_rub < 0`
  expect(await rows(moved)).toEqual(Array(orders).fill({ amount_micro_rub: '-40000000' }))
  expect(await rows('SELECT * FROM service.ledger_fault')).toEqual([])
}

test('an order becomes a video in reply to it, charged at its price to who ordered', async () => {
  const ordered = telegram.say(501, '/video 5s a paper boat on a brook')
  await expectDelivered(501)

  await expectDeliveredOnce(501)
  expect(telegram.videos(501)[0]?.replyToMessageId).toBe(ordered)
})

test('kill -9 while an order is generating: after the restart the video comes once', {
  timeout: 90_000,
}, async () => {
  const user = 503
  const reached = new Promise<void>((done) => {
    database.on('notification', ({ payload }) => payload === `generating ${user}` && done())
  })
  telegram.say(user, '/video 5s a paper boat on a brook')
  await reached

  await kopeck.kill()
  kopeck = await startKopeck(env)
  await expectDelivered(user)

  await expectDeliveredOnce(user)
})
