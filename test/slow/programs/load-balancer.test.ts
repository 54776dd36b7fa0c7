import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import type { ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { createAccount } from '../../../src/service/ledger/accounts.ts'
import { createApiKey } from '../../../src/service/ledger/api-keys.ts'
import { createTestDatabase } from '../../platform/database/test-database.ts'
import { startKopeck } from '../../support/kopeck.ts'
import { sendJson, serve } from '../chaos/local-server.ts'
import { NGINX, startNginx } from './balancers.ts'

const STREAMS = 4
const USAGE = { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 }
const HOLDS = `SELECT COALESCE(end_state::text, 'held') AS state, count(*)::int FROM service.request GROUP BY 1 ORDER BY 1`

// Promise: One of two processes behind a load balancer is killed
test.runIf(NGINX)(
  'behind the nginx of docs/scale.md streams come as they are written, and a kill -9 of one process touches none of another',
  async () => {
    const { model, services, pool, ask } = await openHouse()
    const answers = await Promise.all(Array.from({ length: STREAMS }, () => ask({ stream: true })))
    const streams = answers.map(readStream)
    // The model has not ended its answers, so nothing on their way waits for their ends.
    const seen = () => streams.map(({ text }) => text())
    await expect.poll(seen).toEqual(Array(STREAMS).fill('one '))

    await services[0]?.kill()

    const next = await Promise.all(Array.from({ length: STREAMS }, () => ask({ stream: false })))
    expect(next.map(({ status }) => status)).toEqual(Array(STREAMS).fill(200))
    for (const stream of model.streams) endStream(stream)
    const ends = await Promise.all(streams.map(({ ended }) => ended))
    expect(ends.toSorted()).toEqual(['broken', 'broken', 'whole', 'whole'])
    expect(seen().toSorted()).toEqual(['one ', 'one ', 'one two', 'one two'])
    await expect
      .poll(async () => (await pool.query(HOLDS)).rows, { timeout: 20_000 })
      .toEqual([
        { state: 'captured', count: 2 },
        { state: 'settled', count: STREAMS + 2 },
      ])
  },
)

async function openHouse() {
  const model = await openModel()
  const url = await createTestDatabase()
  const pool = new pg.Pool({ connectionString: url, max: 2 })
  const { id } = await createAccount(pool, { name: 'shop', creditMicroRub: 1_000_000_000n })
  const key = await createApiKey(pool, id)
  const dataDir = await mkdtemp(join(tmpdir(), 'kopeck-balancer-'))
  const config = join(dataDir, 'service.json')
  await writeFile(config, JSON.stringify(toConfig(model.origin)))
  const env = { DATABASE_URL: url, DATA_DIR: dataDir, SERVICE_CONFIG: config }
  const services = [await startKopeck(env, ['service']), await startKopeck(env, ['service'])]
  onTestFinished(async () => {
    await Promise.all(services.map((service) => service.stop()))
    await model.close()
    await pool.end()
    await rm(dataDir, { recursive: true })
  })
  const address = await startNginx(services.map((service) => service.address))
  const ask = ({ stream }: { stream: boolean }) =>
    fetch(`${address}/api/v1/chats/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'm', stream, messages: [{ role: 'user', content: 'Count' }] }),
    })
  return { model, services, pool, ask }
}

async function openModel() {
  const streams: ServerResponse[] = []
  const server = await serve(({ body }, response) => {
    if (JSON.parse(body.toString()).stream !== true) {
      const message = { role: 'assistant', content: 'one two' }
      const choices = [{ index: 0, message, finish_reason: 'stop' }]
      return sendJson(response, 200, { choices, usage: USAGE })
    }
    streams.push(response)
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write(toEvent({ choices: [{ index: 0, delta: { content: 'one ' } }] }))
  })
  return { ...server, streams }
}

function endStream(response: ServerResponse): void {
  response.write(
    toEvent({ choices: [{ index: 0, delta: { content: 'two' }, finish_reason: 'stop' }] }),
  )
  response.end(`${toEvent({ choices: [], usage: USAGE })}data: [DONE]\n\n`)
}

function toEvent(data: object): string {
  return `data: ${JSON.stringify(data)}\n\n`
}

function toConfig(upstream: string): object {
  const model = {
    id: 'm',
    family: 'A',
    context_tokens: 1_000_000,
    prompt_rub_per_1m: '150',
    completion_rub_per_1m: '600',
    provider: { type: 'openai', base_url: `${upstream}/v1`, model: 'm' },
  }
  return { chat: { models: [model] } }
}

function readStream(response: Response) {
  let events = ''
  const read = async () => {
    const decoder = new TextDecoder()
    for await (const bytes of response.body ?? []) events += decoder.decode(bytes, { stream: true })
    return events.endsWith('data: [DONE]\n\n') ? 'whole' : 'cut'
  }
  return {
    text: () => [...events.matchAll(/"content":"([^"]*)"/g)].map(([, piece]) => piece).join(''),
    ended: read().catch(() => 'broken'),
  }
}
