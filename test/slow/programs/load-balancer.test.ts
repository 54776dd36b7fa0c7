import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { createAccount } from '../../../src/service/ledger/accounts.ts'
import { createApiKey } from '../../../src/service/ledger/api-keys.ts'
import { setOwnLimits } from '../../../src/service/ledger/rate-window.ts'
import { createTestDatabase } from '../../platform/database/test-database.ts'
import { findFreePort } from '../../platform/http/free-port.ts'
import {
  DONE,
  delta,
  finish,
  type Responder,
  sends,
  sendsAndHangs,
  sendsSlowly,
  startOpenAiServer,
  usage,
} from '../../service/providers/openai-server.ts'
import { upstreamConfig } from '../../service/service-fixture.ts'
import { type Kopeck, startKopeck } from '../../support/kopeck.ts'
import { makeFolder } from '../../support/make-folder.ts'
import { IS_LONG } from '../chaos/length.ts'
import { HAPROXY, NGINX, startHaproxy, startNginx } from './balancers.ts'

const STREAMS = 4
const RESTARTS = IS_LONG ? 50 : 2
const EVERY_MS = IS_LONG ? 20 : 50
/** UPGRADE_TO names a clone of another version, with its modules, as which the processes are restarted. */
const { UPGRADE_TO } = process.env
const NEXT = UPGRADE_TO === undefined ? {} : { command: join(UPGRADE_TO, 'src/cli/kopeck.ts') }
const STREAM_SHARE = 5
const WORDS = Array.from({ length: 20 }, (_, index) => delta(`${index} `))
const WORD_MS = 100
const HOLDS = `SELECT COALESCE(end_state::text, 'held') AS state, count(*)::int FROM service.request GROUP BY 1 ORDER BY 1`

test.runIf(NGINX)(
  'behind the nginx of docs/scale.md streams come as they are written, and a kill -9 of one process touches none of another',
  async () => {
    const gate = Promise.withResolvers<void>()
    const { services, pool, ask } = await openServices(twoWords(gate.promise), startNginx)
    const answers = await Promise.all(Array.from({ length: STREAMS }, () => ask(true)))
    const streams = answers.map(readStream)
    // The model has not ended its answers, so nothing on their way waits for their ends.
    const seen = () => streams.map(({ text }) => text())
    await expect.poll(seen).toEqual(Array(STREAMS).fill('one '))

    await services[0]?.kill()

    const next = await Promise.all(Array.from({ length: STREAMS }, () => ask(false)))
    expect(next.map(({ status }) => status)).toEqual(Array(STREAMS).fill(200))
    gate.resolve()
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
  test.runIf(is)(
    `two services are restarted one after the other under load behind ${name}: no client sees a failure`,
    { timeout: 60_000 + RESTARTS * 20_000 },
    async () => {
      const model = sendsSlowly([...WORDS, finish(), usage(1, WORDS.length), DONE], () => WORD_MS)
      const { services, pool, ask } = await openServices(model, start, env)
      const load = startLoad(async (index) => {
        const isStreamed = index % STREAM_SHARE === 0
        const response = await ask(isStreamed)
        const text = await response.text()
        if (response.status !== 200) return `${response.status} ${text}`
        if (!isStreamed || text.endsWith('data: [DONE]\n\n')) return undefined
        return `cut: ${text.slice(-200)}`
      })

      for (let restarts = 0; restarts < RESTARTS; restarts += 1) {
        const service = services[restarts % services.length]
        expect(await service?.restart()).toBe(0)
        await expect.poll(() => service?.hasAnswered()).toBe(true)
      }
      const ends = await load.stop()

      const failures = ends.filter((end) => end !== undefined)
      if (IS_LONG) console.info(`${ends.length} requests, ${failures.length} failures`)
      expect(failures).toEqual([])
      expect(ends.length).toBeGreaterThan(RESTARTS)
      expect((await pool.query(HOLDS)).rows).toMatchObject([{ state: 'settled' }])
    },
  )
}

async function openServices(
  model: Responder,
  startBalancer: (behind: readonly string[]) => Promise<string>,
  env: Record<string, string> = {},
) {
  const upstream = await startOpenAiServer(model)
  onTestFinished(() => upstream[Symbol.asyncDispose]())
  const url = await createTestDatabase()
  const pool = new pg.Pool({ connectionString: url, max: 2 })
  onTestFinished(() => pool.end())
  const { id } = await createAccount(pool, { name: 'shop', creditMicroRub: 1_000_000_000_000n })
  await setOwnLimits(pool, id, { chat: 10_000 })
  const key = await createApiKey(pool, id)
  const dataDir = await makeFolder()
  const config = join(dataDir, 'service.json')
  await writeFile(config, JSON.stringify({ chat: upstreamConfig(upstream.baseUrl).chat }))
  const own = { ...env, DATABASE_URL: url, SERVICE_CONFIG: config }
  const services = [await openService('one'), await openService('two')]
  const address = await startBalancer(services.map((service) => service.address))
  return { pool, services, ask }

  async function openService(name: string) {
    const settings = { ...own, DATA_DIR: join(dataDir, name), PORT: await findFreePort() }
    let running: Kopeck = await startKopeck(settings, ['service'])
    onTestFinished(() => running.kill())
    return {
      address: running.address,
      kill: () => running.kill(),
      hasAnswered: () => running.lines.some((line) => line.includes('"msg":"request ended"')),
      async restart(): Promise<number | null> {
        const code = await running.stop()
        running = await startKopeck(settings, ['service'], NEXT)
        return code
      },
    }
  }

  function ask(stream: boolean): Promise<Response> {
    return fetch(`${address}/api/v1/chats/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        model: 'alpha',
        stream,
        messages: [{ role: 'user', content: 'Count' }],
      }),
    })
  }
}

/** A stream waits between its words; a plain answer comes at once. */
function twoWords(gate: Promise<void>): Responder {
  const end = [delta('two'), finish(), usage(1, 2), DONE]
  return async (response, asked) => {
    const { stream } = asked.body as { stream?: boolean }
    if (stream !== true) await sends(delta('one '), ...end)(response, asked)
    else {
      await sendsAndHangs(delta('one '))(response, asked)
      await gate
      response.end(end.join(''))
    }
  }
}

/** Asks at an even pace, however long answers take. Each ask returns what was wrong with its answer, if something was. */
function startLoad(ask: (index: number) => Promise<string | undefined>) {
  const stopping = new AbortController()
  const asked: Promise<string | undefined>[] = []
  const asking = run()
  return { stop }

  async function run(): Promise<void> {
    const beganMs = performance.now()
    while (!stopping.signal.aborted) {
      asked.push(ask(asked.length).catch((error: Error) => String(error.cause ?? error)))
      await delay(Math.max(0, beganMs + asked.length * EVERY_MS - performance.now()))
    }
  }

  async function stop(): Promise<(string | undefined)[]> {
    stopping.abort()
    await asking
    return await Promise.all(asked)
  }
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
