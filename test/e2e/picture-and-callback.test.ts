import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createDemoImageProvider } from '../../src/service/providers/demo/image.ts'
import { createTestDatabase } from '../database/test-database.ts'
import { readMp4 } from '../service/providers/demo/mp4-file.ts'
import { createStep } from '../service/providers/generation-step.ts'
import { type Kopeck, startKopeck } from './kopeck.ts'
import { openTelegram, type Telegram } from './telegram-user.ts'

const USER = 502
const ORDER_TIMEOUT_MS = 25_000

let dataDir: string
let telegram: Telegram
let database: pg.Client
let kopeck: Kopeck

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'kopeck-e2e-'))
  telegram = await openTelegram()
  const url = await createTestDatabase()
  database = new pg.Client({ connectionString: url })
  await database.connect()
  kopeck = await startKopeck({ ...telegram.env, DATABASE_URL: url, DATA_DIR: dataDir })
  telegram.playground.addUser({ id: USER, firstName: 'Olga', languageCode: 'en' })
})

afterEach(async () => {
  await kopeck.stop()
  await database.end()
  await telegram.close()
  await rm(dataDir, { recursive: true })
})

test('the embedded service makes a clip from a photo, in its shape, and nobody learns the token', async () => {
  const photo = { bytes: await uprightPicture() }
  telegram.playground.userSends({ userId: USER, photo, caption: '/video 5s it wakes up' })
  await expect.poll(orderState, { timeout: ORDER_TIMEOUT_MS }).toBe('delivered')

  const [clip] = telegram.clips(USER)
  const bytes = clip?.video?.bytes ?? Buffer.alloc(0)
  // The ready clips of the demo are some 20 kB; this one has the picture in it.
  expect(bytes.length).toBeGreaterThan(1_000_000)
  expect(readMp4(bytes)).toMatchObject({ width: 720, height: 1280, durationSeconds: 5 })
  const { BOT_TOKEN: token } = telegram.env
  expect(kopeck.lines.join('\n')).not.toContain(token)
  expect(await tablesWith(token)).toEqual([])
})

test('the embedded service tells the bot by itself that a picture is ready', async () => {
  telegram.say(USER, '/image a paper boat on a brook')
  await expect.poll(orderState, { timeout: ORDER_TIMEOUT_MS }).toBe('delivered')

  const { rows } = await database.query(
    `SELECT expects_callback, called_back ->> 'status' AS told FROM bot."order"`,
  )
  expect(rows).toEqual([{ expects_callback: true, told: 'success' }])
})

async function orderState(): Promise<unknown> {
  return (await database.query('SELECT state FROM bot."order"')).rows[0]?.state
}

async function tablesWith(text: string): Promise<string[]> {
  const { rows } = await database.query<{ name: string }>(
    `SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables
     WHERE schemaname IN ('bot', 'service')`,
  )
  const found: string[] = []
  for (const { name } of rows) {
    const { rowCount } = await database.query(
      `SELECT FROM ${name} AS row WHERE strpos(to_jsonb(row)::text, $1) > 0 LIMIT 1`,
      [text],
    )
    if (rowCount) found.push(name)
  }
  return found
}

async function uprightPicture(): Promise<Uint8Array> {
  const provider = createDemoImageProvider()
  const operation = await provider.start({ prompt: 'a fox', aspect_ratio: '9:16' }, 'key')
  const state = await provider.check(operation, createStep())
  const [result] = state.status === 'success' ? state.results : []
  if (result?.type !== 'bytes') throw new Error('Expected a picture')
  return result.bytes
}
