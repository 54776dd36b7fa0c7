import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createAccount } from '../../src/service/ledger/accounts.ts'
import { createApiKey } from '../../src/service/ledger/keys/api-keys.ts'
import { createTestDatabase } from '../platform/database/test-database.ts'
import {
  DONE,
  delta,
  finish,
  type Responder,
  sendsAndHangs,
  startOpenAiServer,
} from '../service/providers/openai-server.ts'
import { readText } from '../service/service-fixture.ts'
import { startKopeck } from './kopeck.ts'

let dataDir: string

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'kopeck-e2e-'))
})

afterEach(async () => {
  await rm(dataDir, { recursive: true })
})

/** The service as a process, with one model behind it and an account. */
async function startService(responder: Responder) {
  const upstream = await startOpenAiServer(responder)
  const config = join(dataDir, 'service.json')
  await writeFile(config, JSON.stringify(toServiceConfig(upstream.baseUrl)))
  const url = await createTestDatabase()
  const pool = new pg.Pool({ connectionString: url })
  const account = await createAccount(pool, { name: 'test', creditMicroRub: 1_000_000_000n })
  const apiKey = await createApiKey(pool, account.id)
  const kopeck = await startKopeck(
    { DATABASE_URL: url, DATA_DIR: dataDir, SERVICE_CONFIG: config },
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

test('a service that is asked to stop refuses what comes, lets a stream end whole, and exits with 0', async () => {
  const gate = Promise.withResolvers<void>()
  await using service = await startService(async (response, asked) => {
    await sendsAndHangs(delta('first'))(response, asked)
    await gate.promise
    response.end(`${delta(' last')}${finish()}${DONE}`)
  })
  const stream = readText(await service.chat())
  const first = await stream.next()

  const exited = service.kopeck.stop()
  await expect.poll(() => service.kopeck.lines.join()).toContain('"msg":"stopping"')
  const refused = await service.balance()
  const health = await fetch(`${service.kopeck.address}/healthz`)
  gate.resolve()
  const rest = await stream.rest()

  expect(first).toContain('first')
  expect([refused.status, refused.headers.get('connection')]).toEqual([503, 'close'])
  expect(await refused.json()).toEqual({ detail: 'The service is stopping.' })
  expect(health.status).toBe(503)
  expect(rest).toContain(' last')
  expect(rest).toMatch(/data: \[DONE\]\n\n$/)
  expect(await exited).toBe(0)
  const { rows } = await service.pool.query('SELECT state FROM service.hold')
  expect(rows).toEqual([{ state: 'settled' }])
})
