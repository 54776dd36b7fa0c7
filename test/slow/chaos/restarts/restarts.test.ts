import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { createAccount } from '../../../../src/service/ledger/accounts.ts'
import { createApiKey } from '../../../../src/service/ledger/api-keys.ts'
import { setOwnLimits } from '../../../../src/service/ledger/rate-window.ts'
import { createTestDatabase } from '../../../platform/database/test-database.ts'
import { findFreePort } from '../../../platform/http/free-port.ts'
import { type Kopeck, startKopeck } from '../../../support/kopeck.ts'
import { HAPROXY, NGINX, startHaproxy, startNginx } from '../../programs/balancers.ts'
import { IS_LONG } from '../length.ts'
import { sendJson, serve } from '../local-server.ts'
import { startLoad } from './steady-load.ts'

const RESTARTS = IS_LONG ? 50 : 2
const EVERY_MS = IS_LONG ? 20 : 50
/** UPGRADE_TO names a clone of another version, with its modules, as which the processes are restarted. */
const { UPGRADE_TO } = process.env
const STREAM_SHARE = 5
const WORDS = 20
const WORD_MS = 100

const USAGE = { prompt_tokens: 1, completion_tokens: WORDS, total_tokens: WORDS + 1 }
const HELD = `SELECT COALESCE(end_state::text, 'held') AS state, count(*)::int FROM service.request
  WHERE end_state IS DISTINCT FROM 'settled' GROUP BY 1`

const BALANCERS = [
  { name: 'nginx, which looks at refused connections alone', is: NGINX, start: startNginx },
  {
    name: 'HAProxy, which asks whether a process is ready',
    is: HAPROXY,
    start: startHaproxy,
    env: { DRAIN_SECONDS: '4' },
  },
]

for (const { name, is, start, env = {} } of BALANCERS) {
  // Promise: Processes behind a load balancer are stopped and started
  test.runIf(is)(
    `two services are restarted one after the other under load behind ${name}: no client sees a failure`,
    { timeout: 60_000 + RESTARTS * 20_000 },
    async () => {
      const { pool, services, key } = await openServices(env)
      const address = await start(services.map(({ address }) => address))
      const load = startLoad(
        (index) => ask(address, { key, isStreamed: index % STREAM_SHARE === 0 }),
        EVERY_MS,
      )

      for (let restarts = 0; restarts < RESTARTS; restarts += 1) {
        const service = services[restarts % services.length]
        expect(await service?.restart()).toBe(0)
        await expect.poll(() => service?.hasAnswered()).toBe(true)
      }
      const { whole, failures } = await load.stop()

      if (IS_LONG)
        console.info(`${RESTARTS} restarts: ${whole} answers, ${failures.length} failures`)
      expect(failures).toEqual([])
      expect(whole).toBeGreaterThan(RESTARTS)
      expect((await pool.query(HELD)).rows).toEqual([])
    },
  )
}

async function openServices(env: Record<string, string>) {
  const model = await openModel()
  onTestFinished(() => model.close())
  const url = await createTestDatabase()
  const pool = new pg.Pool({ connectionString: url, max: 2 })
  onTestFinished(() => pool.end())
  const { id } = await createAccount(pool, { name: 'shop', creditMicroRub: 1_000_000_000_000n })
  await setOwnLimits(pool, id, { chat: 10_000 })
  const key = await createApiKey(pool, id)
  const dataDir = await mkdtemp(join(tmpdir(), 'kopeck-restarts-'))
  onTestFinished(() => rm(dataDir, { recursive: true }))
  const config = join(dataDir, 'service.json')
  await writeFile(config, JSON.stringify(toConfig(model.origin)))
  const own = { ...env, DATABASE_URL: url, SERVICE_CONFIG: config }
  const open = async (name: string) => {
    const port = await findFreePort()
    return await openService({ ...own, DATA_DIR: join(dataDir, name), PORT: port })
  }
  return { pool, key, services: [await open('one'), await open('two')] }
}

const next = UPGRADE_TO === undefined ? {} : { command: join(UPGRADE_TO, 'src/cli/kopeck.ts') }

async function openService(env: Record<string, string>) {
  let running: Kopeck = await startKopeck(env, ['service'])
  onTestFinished(() => running.kill())
  return {
    address: running.address,
    hasAnswered: () => running.lines.some((line) => line.includes('"msg":"request ended"')),
    async restart(): Promise<number | null> {
      const code = await running.stop()
      running = await startKopeck(env, ['service'], next)
      return code
    },
  }
}

async function openModel() {
  return await serve(async ({ body }, response) => {
    const words = Array.from({ length: WORDS }, (_, index) => `${index} `)
    if (JSON.parse(body.toString()).stream !== true) {
      await delay(WORD_MS)
      const message = { role: 'assistant', content: words.join('') }
      return sendJson(response, 200, {
        choices: [{ index: 0, message, finish_reason: 'stop' }],
        usage: USAGE,
      })
    }
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    for (const content of words) {
      response.write(toEvent({ choices: [{ index: 0, delta: { content } }] }))
      await delay(WORD_MS)
    }
    response.write(toEvent({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }))
    response.end(`${toEvent({ choices: [], usage: USAGE })}data: [DONE]\n\n`)
  })
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

async function ask(
  address: string,
  { key, isStreamed }: { key: string; isStreamed: boolean },
): Promise<string | undefined> {
  const response = await fetch(`${address}/api/v1/chats/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      model: 'm',
      stream: isStreamed,
      messages: [{ role: 'user', content: 'Count' }],
    }),
  })
  const text = await response.text()
  if (response.status !== 200) return `${response.status} ${text}`
  if (!isStreamed || text.endsWith('data: [DONE]\n\n')) return undefined
  return `cut: ${text.slice(-200)}`
}
