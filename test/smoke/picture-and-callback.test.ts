import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createAccount } from '../../src/service/ledger/accounts.ts'
import { createApiKey } from '../../src/service/ledger/api-keys.ts'
import { createTestDatabase } from '../platform/database/test-database.ts'
import { findFreePort } from '../platform/http/free-port.ts'
import { type Kopeck, startKopeck } from '../support/kopeck.ts'
import { openTelegram, type Telegram } from '../support/telegram-user.ts'

const USER = 502
const ORDER_TIMEOUT_MS = 25_000
const PORTRAIT = 'src/service/providers/demo/720x1280.png'

let dataDir: string
let telegram: Telegram
let database: pg.Pool
let env: Record<string, string>
let started: Kopeck[]
let orders: number
let lastUser: number

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'kopeck-'))
  telegram = await openTelegram()
  const url = await createTestDatabase()
  database = new pg.Pool({ connectionString: url, max: 2 })
  env = { ...telegram.env, DATABASE_URL: url, DATA_DIR: dataDir }
  started = []
  orders = 0
  lastUser = USER
  telegram.playground.addUser({ id: USER, firstName: 'Olga', languageCode: 'en' })
})

afterEach(async () => {
  for (const kopeck of started.reverse()) await kopeck.stop()
  await database.end()
  await telegram.close()
  await rm(dataDir, { recursive: true })
})

// Promise: Telegram’s address of a file, which has the token, is used
test('the embedded service makes a video from a photo, notifies the bot of a finished picture, and never shows the token', async () => {
  const { lines } = await start()

  const photo = { bytes: await readFile(PORTRAIT) }
  telegram.playground.userSends({ userId: USER, photo, caption: '/video 5s it wakes up' })
  expect(await ended()).toBe('delivered')

  const [video] = telegram.videos(USER)
  const made = await readFile('src/service/providers/demo/1280x720-5s.mp4')
  expect(made.equals(video?.video?.bytes ?? Buffer.alloc(0))).toBe(true)

  telegram.say(nextUser(), '/image a paper boat on a brook')
  expect(await ended()).toBe('delivered')
  expect((await callbacks())[1]).toEqual({ expects_callback: true, reported: 'success' })

  const { BOT_TOKEN: token } = telegram.env
  expect(lines.join('\n')).not.toContain(token)
  expect(await tablesWith(token)).toEqual([])
})

test('a remote service fetches a photo from PUBLIC_URL and calls back there', async () => {
  const reached = await findFreePort()
  const service = await start({ CALLBACK_ALLOW: `127.0.0.1:${reached}` }, 'service')
  const account = await createAccount(database, { name: 'bot', creditMicroRub: 1_000_000_000n })
  const remote = {
    SERVICE_URL: `${service.address}/api/v1`,
    SERVICE_API_KEY: await createApiKey(database, account.id),
    RESULT_ALLOW: new URL(service.address).host,
  }

  await start({ ...remote, PORT: reached, PUBLIC_URL: `http://127.0.0.1:${reached}` }, 'bot')
  expect(await orderPhotoAndSound()).toEqual(['delivered', 'delivered'])

  expect(await callbacks()).toEqual([
    { expects_callback: false, reported: null },
    { expects_callback: true, reported: 'success' },
  ])
})

/** Somebody who has ordered nothing yet: a second order within a minute would be asked about. */
function nextUser(): number {
  lastUser += 1
  telegram.playground.addUser({ id: lastUser, firstName: 'Ivan', languageCode: 'en' })
  return lastUser
}

/** Has a video made from a photo, then a sound. @returns How each ended. */
async function orderPhotoAndSound(): Promise<unknown[]> {
  const photo = { bytes: await readFile(PORTRAIT) }
  telegram.playground.userSends({ userId: nextUser(), photo, caption: '/video 5s it wakes up' })
  const video = await ended()
  telegram.say(nextUser(), '/sound 5s rain on a roof')
  return [video, await ended()]
}

async function start(more: Record<string, string> = {}, ...roles: string[]): Promise<Kopeck> {
  const kopeck = await startKopeck({ ...env, ...more }, roles)
  started.push(kopeck)
  return kopeck
}

async function callbacks(): Promise<unknown[]> {
  const { rows } = await database.query(
    `SELECT expects_callback, called_back ->> 'status' AS reported FROM bot."order" ORDER BY id`,
  )
  return rows
}

/** Waits for one more order than there was at the last call, and for its end. @returns Its state. */
async function ended(): Promise<unknown> {
  orders += 1
  const count = async () => (await database.query('SELECT FROM bot."order"')).rowCount
  await expect.poll(count, { timeout: ORDER_TIMEOUT_MS }).toBe(orders)
  await expect.poll(orderState, { timeout: ORDER_TIMEOUT_MS }).toMatch(/delivered|failed/)
  return await orderState()
}

/** Reads the state of the newest order. */
async function orderState(): Promise<unknown> {
  return (await database.query('SELECT state FROM bot."order" ORDER BY id DESC LIMIT 1')).rows[0]
    ?.state
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
