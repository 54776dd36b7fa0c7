import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createTestDatabase } from '../platform/database/test-database.ts'
import { findFreePort } from '../platform/http/free-port.ts'
import { type Kopeck, startKopeck } from './kopeck.ts'
import { openTelegram, type Telegram } from './telegram-user.ts'

const USER = 502
const CLIP_TIMEOUT_MS = 40_000

let dataDir: string
let telegram: Telegram
let env: Record<string, string>
let database: pg.Client
let kopeck: Kopeck

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'kopeck-e2e-'))
  telegram = await openTelegram()
  const url = await createTestDatabase()
  env = { ...telegram.env, DATABASE_URL: url, DATA_DIR: dataDir, PORT: await findFreePort() }
  database = new pg.Client({ connectionString: url })
  await database.connect()
})

afterEach(async () => {
  await kopeck.stop()
  await database.end()
  await telegram.close()
  await rm(dataDir, { recursive: true })
})

async function rows(sql: string): Promise<Record<string, unknown>[]> {
  return (await database.query(sql)).rows
}

async function orderState(): Promise<unknown> {
  return (await rows('SELECT state FROM bot.order'))[0]?.state
}

/** What must be true of one delivered order, however often the program died on the way. */
async function expectDeliveredOnce(): Promise<void> {
  const clips = telegram.clips(USER)
  expect(clips).toHaveLength(1)
  expect(clips[0]?.video).toMatchObject({
    width: 1280,
    height: 720,
    duration: 5,
    mime: 'video/mp4',
    supportsStreaming: true,
  })
  expect(clips[0]?.video?.bytes?.subarray(4, 8).toString()).toBe('ftyp')
  expect(await rows('SELECT kind, amount_micro_rub, estimated FROM bot.charge')).toEqual([
    { kind: 'video', amount_micro_rub: '40000000', estimated: false },
  ])
  expect(await rows('SELECT status FROM service.task')).toEqual([{ status: 'success' }])
  const moved = `SELECT kind, amount_micro_rub FROM service.entry WHERE kind <> 'credit'`
  expect(await rows(moved)).toEqual([{ kind: 'charge', amount_micro_rub: '-40000000' }])
  expect(await rows('SELECT * FROM service.ledger_fault')).toEqual([])
}

test('an order becomes a clip in reply to it, charged at its price to who ordered', async () => {
  kopeck = await startKopeck(env)

  const ordered = telegram.say(USER, '/video 5s a paper boat on a brook')
  await expect.poll(orderState, { timeout: CLIP_TIMEOUT_MS }).toBe('delivered')

  await expectDeliveredOnce()
  expect(telegram.clips(USER)[0]?.replyToMessageId).toBe(ordered)
})

test.each(['submitted', 'generating', 'ready'])(
  'kill -9 while the order is %s: after the restart the clip comes once',
  async (state) => {
    kopeck = await startKopeck(env)
    // The state can pass in milliseconds, so the database itself tells of it.
    await database.query(`
      CREATE FUNCTION tell_state() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN PERFORM pg_notify('reached', NEW.state::text); RETURN NEW; END $$;
      CREATE TRIGGER tell_state AFTER UPDATE ON bot.order FOR EACH ROW
        WHEN (NEW.state = '${state}') EXECUTE FUNCTION tell_state();
      LISTEN reached`)
    const reached = new Promise((done) => database.once('notification', done))
    telegram.say(USER, '/video 5s a paper boat on a brook')
    await reached

    await kopeck.kill()
    kopeck = await startKopeck(env)
    await expect.poll(orderState, { timeout: CLIP_TIMEOUT_MS }).toBe('delivered')

    await expectDeliveredOnce()
  },
  90_000,
)
