import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { createApiKey } from '../../../src/service/ledger/api-keys.ts'
import { createTestDatabase } from '../../platform/database/test-database.ts'
import { fundedAccount, ledgerFaults } from '../../service/ledger/ledger-fixture.ts'
import {
  DONE,
  delta,
  finish,
  type Responder,
  sends,
  startOpenAiServer,
  usage,
} from '../../service/providers/openai-server.ts'
import { upstreamConfig } from '../../service/service-fixture.ts'
import { startKopeck } from '../../support/kopeck.ts'

const CREDIT = 1_000_000_000n
const REPEATS = 100
const WAIT_MS = 30_000
const WHOLE = sends(delta('слово'), finish(), usage(12, 5), DONE)
const HOLDS = `SELECT COALESCE(end_state::text, 'held') AS state, end_reason AS reason FROM service.request ORDER BY created_at`
const BALANCE = 'SELECT balance_micro_rub::text AS balance FROM service.account'

// Promise: A process is killed in a plain chat with an `Idempotency-Key`, or only taken for dead
test('kill -9 in a chat that a hundred repeats ask for: one answer, one charge', {
  timeout: 3 * WAIT_MS,
}, async () => {
  const gate = Promise.withResolvers<void>()
  const { pool, start, ask, begun } = await openHouse(gate.promise)
  const [first, second] = [await start(), await start()]
  const killed = ask(first.address)
  await begun

  const refused = await Promise.all(Array.from({ length: REPEATS }, () => ask(second.address)))
  await first.kill()
  gate.resolve()
  const answers: Awaited<ReturnType<typeof ask>>[] = []
  const askAll = async () => {
    answers.push(...(await Promise.all(Array.from({ length: REPEATS }, () => ask(second.address)))))
    return answers.filter(({ status }) => status === 200).length
  }
  await expect.poll(askAll, { timeout: WAIT_MS, interval: 500 }).toBeGreaterThanOrEqual(REPEATS)

  expect(refused.map(({ status }) => status)).toEqual(Array(REPEATS).fill(409))
  expect(await killed).toEqual({ status: undefined, body: undefined })
  const bodies = answers.filter(({ status }) => status === 200).map(({ body }) => body)
  expect(new Set(bodies).size).toBe(1)
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 409]))
  expect((await pool.query(HOLDS)).rows).toEqual([
    { state: 'released', reason: 'withdrawn' },
    { state: 'settled', reason: 'usage' },
  ])
  // 12 × 150 and 5 × 600 roubles per 1M tokens.
  expect((await pool.query(BALANCE)).rows).toEqual([{ balance: `${CREDIT - 4800n}` }])
  expect(await ledgerFaults(pool)).toEqual([])
})

/** A database, an account, and an upstream whose first answer waits for the gate. */
async function openHouse(gate: Promise<void>) {
  const asked = Promise.withResolvers<void>()
  const slow: Responder = async (...http) => {
    asked.resolve()
    await gate
    await WHOLE(...http)
  }
  const upstream = await startOpenAiServer(slow, WHOLE)
  const url = await createTestDatabase()
  const pool = new pg.Pool({ connectionString: url, max: 2 })
  const key = await createApiKey(pool, await fundedAccount(pool, CREDIT))
  const dataDir = await mkdtemp(join(tmpdir(), 'kopeck-repeats-'))
  const config = join(dataDir, 'service.json')
  await writeFile(config, JSON.stringify({ chat: upstreamConfig(upstream.baseUrl).chat }))
  onTestFinished(async () => {
    await upstream[Symbol.asyncDispose]()
    await pool.end()
    await rm(dataDir, { recursive: true })
  })
  return { pool, start, ask, begun: asked.promise }

  async function start() {
    const env = { DATABASE_URL: url, DATA_DIR: dataDir, SERVICE_CONFIG: config }
    const kopeck = await startKopeck(env, ['service'])
    onTestFinished(() => kopeck.kill())
    return kopeck
  }

  /** Asks for the same answer each time. @returns No status where the connection broke. */
  async function ask(address: string) {
    try {
      const response = await fetch(`${address}/api/v1/chats/completions`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${key}`,
          'content-type': 'application/json',
          'idempotency-key': 'order-17',
        },
        body: JSON.stringify({ model: 'alpha', messages: [{ role: 'user', content: 'Count' }] }),
      })
      return { status: response.status, body: await response.text() }
    } catch {
      return { status: undefined, body: undefined }
    }
  }
}
