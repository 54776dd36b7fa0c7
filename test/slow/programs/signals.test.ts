import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { findRunningDatabase } from '../../../src/platform/database/data-cluster.ts'
import { createApiKey } from '../../../src/service/ledger/api-keys.ts'
import { fundedAccount } from '../../service/ledger/ledger-fixture.ts'
import {
  DONE,
  delta,
  finish,
  type Responder,
  sendsAndHangs,
  startOpenAiServer,
} from '../../service/providers/openai-server.ts'
import { findServerPid, isRunning } from '../../support/embedded-server.ts'
import { startKopeck } from '../../support/kopeck.ts'

/** The data of all tests, one after the other: a first start takes longer than the others. */
let dataDir: string

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'kopeck-signals-'))
})

afterAll(async () => {
  await rm(dataDir, { recursive: true })
})

/**
 * The service on embedded parts in a process group of its own, in the middle of a stream that ends when
 * the test says so: until then it does not stop.
 */
async function startStreaming() {
  const toEnd = Promise.withResolvers<void>()
  const answersInTwo: Responder = async (response, asked) => {
    await sendsAndHangs(delta('first'))(response, asked)
    await toEnd.promise
    response.end(finish() + DONE)
  }
  const upstream = await startOpenAiServer(answersInTwo)
  onTestFinished(() => upstream[Symbol.asyncDispose]())
  const config = join(dataDir, 'service.json')
  const model = {
    id: 'alpha',
    family: 'A',
    context_tokens: 1000,
    prompt_rub_per_1m: '150',
    completion_rub_per_1m: '600',
    default_max_tokens: 100,
    provider: { type: 'openai', base_url: upstream.baseUrl, model: 'upstream' },
  }
  await writeFile(config, JSON.stringify({ chat: { models: [model] }, generation: {} }))
  const env = { DATA_DIR: dataDir, SERVICE_CONFIG: config }
  const kopeck = await startKopeck(env, ['service'], { ownGroup: true })
  const response = await fetch(`${kopeck.address}/api/v1/chats/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${await makeKey()}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      model: 'alpha',
      messages: [{ role: 'user', content: 'hi' }],
      stream: true,
    }),
  })
  await response.body?.getReader().read()
  return {
    kopeck,
    serverPid: await findServerPid(join(dataDir, 'playground')),
    endStream: toEnd.resolve,
  }
}

async function makeKey(): Promise<string> {
  const pool = new pg.Pool({
    connectionString: (await findRunningDatabase(join(dataDir, 'playground'))) ?? '',
  })
  // Its server may end before its last connection has.
  pool.on('error', () => {})
  const key = await createApiKey(pool, await fundedAccount(pool, 1_000_000_000n))
  await pool.end()
  return key
}

test.each(['SIGINT', 'SIGTERM'] as const)(
  'a %s that all processes get, and twice, stops the program in order and its server with it',
  async (signal) => {
    const { kopeck, serverPid, endStream } = await startStreaming()

    kopeck.signalGroup(signal)
    kopeck.signalGroup(signal)
    await expect.poll(() => kopeck.lines.join()).toContain('"msg":"stopping"')
    kopeck.signalGroup(signal)
    endStream()

    expect(await kopeck.exited).toBe(0)
    expect(isRunning(serverPid)).toBe(false)
    expect(kopeck.lines.join()).not.toContain('cannot stop in order')
  },
)
