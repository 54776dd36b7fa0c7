import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createAccount } from '../../../src/service/ledger/accounts.ts'
import { createApiKey } from '../../../src/service/ledger/api-keys.ts'
import { createTestDatabase } from '../../platform/database/test-database.ts'
import {
  DONE,
  delta,
  finish,
  type Responder,
  sendsAndHangs,
  startOpenAiServer,
} from '../../service/providers/openai-server.ts'
import { readText } from '../../service/service-fixture.ts'
import { startKopeck } from '../../support/kopeck.ts'

let dataDir: string

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'kopeck-'))
})

afterEach(async () => {
  await rm(dataDir, { recursive: true })
})

/** The service as a process, with one model behind it and an account. */
async function startService(responder: Responder, env: Record<string, string> = {}) {
  const upstream = await startOpenAiServer(responder)
  const config = join(dataDir, 'service.json')
  await writeFile(config, JSON.stringify(toServiceConfig(upstream.baseUrl)))
  const url = await createTestDatabase()
  const pool = new pg.Pool({ connectionString: url })
  const account = await createAccount(pool, { name: 'test', creditMicroRub: 1_000_000_000n })
  const apiKey = await createApiKey(pool, account.id)
  const kopeck = await startKopeck(
    { DATABASE_URL: url, DATA_DIR: dataDir, SERVICE_CONFIG: config, ...env },
    ['service'],
  )
  const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' }
  return {
    kopeck,
    pool,
    balance: () => fetch(`${kopeck.address}/api/v1/balance`, { headers }),
    chat: () =>
      fetch(`${kopeck.address}/api/v1/chats/completions`, {
        method: 'POST',
        headers,
        body: JSON.stringify({
          model: 'alpha',
          messages: [{ role: 'user', content: 'hi' }],
          stream: true,
        }),
      }),
    async [Symbol.asyncDispose]() {
      await pool.end()
      await upstream[Symbol.asyncDispose]()
    },
  }
}

function toServiceConfig(baseUrl: string) {
  const model = {
    id: 'alpha',
    family: 'A',
    context_tokens: 1000,
    prompt_rub_per_1m: '150',
    completion_rub_per_1m: '600',
    default_max_tokens: 100,
    provider: { type: 'openai', base_url: baseUrl, model: 'upstream' },
  }
  return { chat: { models: [model] }, generation: {} }
}

/** Answers with one word, and with another one when the gate opens. */
function waitsFor(gate: Promise<void>): Responder {
  return async (response, asked) => {
    await sendsAndHangs(delta('first'))(response, asked)
    await gate
    response.end(`${delta(' last')}${finish()}${DONE}`)
  }
}

/** The status, or the code of what kept an answer from coming. */
async function outcomeOf(asking: Promise<Response>): Promise<number | string> {
  return await asking.then(
    ({ status }) => status,
    ({ cause }: { cause: { code: string } }) => cause.code,
  )
}

// Promise: Processes behind a load balancer are stopped and started
test('a service that is asked to stop takes no connections, answers on a kept one, lets a stream end whole, and exits with 0', async () => {
  const gate = Promise.withResolvers<void>()
  await using service = await startService(waitsFor(gate.promise))
  const stream = readText(await service.chat())
  const first = await stream.next()
  const before = await service.balance()

  const exited = service.kopeck.stop()
  await expect.poll(() => service.kopeck.lines.join()).toContain('"msg":"stopping"')
  const kept = await service.balance()
  const refused = await outcomeOf(service.balance())
  gate.resolve()
  const rest = await stream.rest()

  expect(first).toContain('first')
  expect([before, kept].map(({ status, headers }) => [status, headers.get('connection')])).toEqual([
    [200, 'keep-alive'],
    [200, 'close'],
  ])
  expect(refused).toBe('ECONNREFUSED')
  expect(rest).toContain(' last')
  expect(rest).toMatch(/data: \[DONE\]\n\n$/)
  expect(await exited).toBe(0)
  const { rows } = await service.pool.query(
    `SELECT COALESCE(end_state::text, 'held') AS state FROM service.request`,
  )
  expect(rows).toEqual([{ state: 'settled' }])
})

// Promise: Processes behind a load balancer are stopped and started
test('for DRAIN_SECONDS a service that is asked to stop is not ready, and answers all the same', async () => {
  await using service = await startService(waitsFor(Promise.resolve()), { DRAIN_SECONDS: '3600' })

  const exited = service.kopeck.stop()
  await expect.poll(() => service.kopeck.lines.join()).toContain('"msg":"stopping"')
  const health = await fetch(`${service.kopeck.address}/healthz`)
  const balance = await service.balance()
  const chat = await readText(await service.chat()).rest()
  await expect.poll(hurried).toBe(true)

  expect([health.status, await health.json()]).toMatchObject([
    503,
    { reasons: ['the process is stopping'] },
  ])
  expect(balance.status).toBe(200)
  expect(chat).toMatch(/data: \[DONE\]\n\n$/)
  expect(await exited).toBe(0)

  /** A second signal counts when it is not of the same key press any more. */
  function hurried(): boolean {
    void service.kopeck.stop()
    return service.kopeck.lines.some((line) => line.includes('stopping at once'))
  }
})

test('a second signal breaks off the streams that a stop waits for, by rule', async () => {
  await using service = await startService(waitsFor(new Promise(() => {})), {
    STOP_SECONDS: '3600',
  })
  const stream = readText(await service.chat())
  await stream.next()

  const exited = service.kopeck.stop()
  await expect
    .poll(() => {
      void service.kopeck.stop()
      return service.kopeck.lines.join()
    })
    .toContain('stopping at once')

  expect(await stream.rest()).toContain('The service is stopping.')
  expect(await exited).toBe(0)
  const { rows } = await service.pool.query(
    `SELECT COALESCE(end_state::text, 'held') AS state, end_reason FROM service.request`,
  )
  expect(rows).toEqual([{ state: 'captured', end_reason: 'broken' }])
})
