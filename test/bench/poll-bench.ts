import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { POLL_MS } from '../../src/bot/media/polling/poll-pace.ts'
import { createPlayground } from '../../src/playground/playground.ts'
import { startBot } from './bot-contender.ts'
import { type Contender, plainNode, startContender } from './contender.ts'
import type { BenchContext, BenchPart } from './part.ts'
import { type PollFigures, PUNCTUAL_MS } from './poll-figures.ts'
import { readProcessFigures } from './process-figures.ts'

const ORDERS = 10_000
/** Orders that have ended, beside those that are being made. */
const ENDED_ORDERS = 1_000_000
const WARM_UP_MS = 12_000
const MEASURED_MS = 30_000
const GOAL = { punctual: 0.99, rssMiB: 250 }
const USER_ID = 801

/** What one poller came to. */
interface Outcome extends PollFigures {
  /** Of its own process, and of PostgreSQL. */
  cpuMs: number
  databaseCpuMs: number
  peakRssBytes: number
}

/** All running orders of one process, beside the least that polls as many tasks. */
export const pollBench: BenchPart = {
  title: `polls: ${ORDERS.toLocaleString('en')} running orders on one process`,
  run,
}

async function run(context: BenchContext): Promise<string> {
  const { database, signal, progress } = context
  progress('polls: the bare poller')
  const bare = await measure(context, {
    start: (baseUrl) => {
      const env = { SERVICE_URL: baseUrl, TASKS: String(ORDERS) }
      return startContender({ program: program('bare-poller.ts'), env, signal })
    },
    readCpuMs: async () => 0,
  })
  progress('polls: seed')
  const [emptyUrl, grownUrl] = [await database.create(), await database.create()]
  const client = new pg.Client({ connectionString: grownUrl })
  await client.connect()
  const playground = createPlayground({ flood: 'off' })
  try {
    const { apiRoot } = await playground.listen()
    const telegram = { token: playground.token, apiRoot }
    const startMs: number[] = []
    const startOn = async (databaseUrl: string, baseUrl: string) => {
      const begunAt = performance.now()
      const service = { baseUrl }
      const bot = await startBot('kopeck', { telegram, service, databaseUrl, signal })
      startMs.push(performance.now() - begunAt)
      return bot
    }
    await seed(client)
    let scannedBefore = 0
    const kopeck = await measure(context, {
      start: async (baseUrl) => {
        // The first start fills the compile cache.
        for (let count = 0; count < 2; count += 1) await (await startOn(emptyUrl, baseUrl)).stop()
        await client.query('UPDATE bot."order" SET due_at = now() WHERE due_at IS NOT NULL')
        scannedBefore = await readScannedRows(client)
        return startOn(grownUrl, baseUrl)
      },
      readCpuMs: database.readCpuMs,
    })
    if (kopeck.closestMs < POLL_MS) throw new Error(`Polls came ${kopeck.closestMs} ms apart`)
    const scanned = (await readScannedRows(client)) - scannedBefore
    return report({ bare, kopeck, scanned, startMs: startMs.slice(1) })
  } finally {
    await client.end()
    await playground.close()
  }
}

function program(file: string) {
  return plainNode(join(import.meta.dirname, file))
}

/** @param readCpuMs What a poller uses beside its own process. */
async function measure(
  { signal, progress }: BenchContext,
  {
    start,
    readCpuMs,
  }: { start: (baseUrl: string) => Promise<Contender>; readCpuMs: () => Promise<number> },
): Promise<Outcome> {
  const service = await startContender({ program: program('poll-service.ts'), env: {}, signal })
  try {
    const poller = await start(`${service.address}/api/v1`)
    try {
      await Promise.race([delay(WARM_UP_MS, undefined, { signal }), poller.failed, service.failed])
      progress(`polls: ${MEASURED_MS / 1000} s are measured`)
      await fetch(`${service.address}/begin`, { method: 'POST' })
      const { cpuMs: cpuBefore } = await readProcessFigures(poller.pid)
      const databaseBefore = await readCpuMs()
      await Promise.race([delay(MEASURED_MS, undefined, { signal }), poller.failed, service.failed])
      const { cpuMs, peakRssBytes } = await readProcessFigures(poller.pid)
      const databaseCpuMs = (await readCpuMs()) - databaseBefore
      const figures = (await (await fetch(`${service.address}/figures`)).json()) as PollFigures
      if (figures.tasks !== ORDERS) throw new Error(`Only ${figures.tasks} tasks were polled`)
      return { ...figures, cpuMs: cpuMs - cpuBefore, databaseCpuMs, peakRssBytes }
    } finally {
      await poller.stop()
    }
  } finally {
    await service.stop()
  }
}

/** Orders that are being made, among many more that have ended. */
async function seed(client: pg.Client): Promise<void> {
  await client.query(`INSERT INTO bot."user" (id, first_name) VALUES (${USER_ID}, 'Bench')`)
  const insert = (count: number, columns: string, values: string) =>
    client.query(
      `INSERT INTO bot."order" (user_id, chat_id, kind, origin_key, reply_to_message_id, params, label,
         price_micro_rub, idempotency_key, ${columns})
       SELECT ${USER_ID}, ${USER_ID}, 'video', gen_random_uuid(), number,
         '{"prompt": "a fox in the snow", "aspect_ratio": "1280:720"}', 'vidgen-720p-5s', 40000000,
         gen_random_uuid(), ${values} FROM generate_series(1, $1::int) AS number`,
      [count],
    )
  await insert(
    ENDED_ORDERS,
    'state, task_id, ended_at, due_at',
    `'delivered', -number, now(), NULL`,
  )
  await insert(ORDERS, 'state, task_id, generating_at', `'generating', number, now()`)
  await client.query('VACUUM ANALYZE')
}

/** Rows of orders that were read by going through the whole table. */
async function readScannedRows(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ scanned: string }>(
    `SELECT seq_tup_read AS scanned FROM pg_stat_user_tables
     WHERE schemaname = 'bot' AND relname = 'order'`,
  )
  return Number(rows[0]?.scanned)
}

function report({
  bare,
  kopeck,
  scanned,
  startMs,
}: {
  bare: Outcome
  kopeck: Outcome
  scanned: number
  startMs: number[]
}): string {
  const share = ({ punctual, polls }: Outcome) => `${((punctual / polls) * 100).toFixed(2)} %`
  const rss = ({ peakRssBytes }: Outcome) => (peakRssBytes / 2 ** 20).toFixed(0)
  const cpu = ({ cpuMs, databaseCpuMs, polls }: Outcome) =>
    `${(((cpuMs + databaseCpuMs) / polls) * 1_000).toFixed(0)} (${((databaseCpuMs / polls) * 1_000).toFixed(0)})`
  const rate = ({ polls }: Outcome) => (polls / (MEASURED_MS / 1_000)).toFixed(0)
  const rows = [
    [
      `polls within ${PUNCTUAL_MS / 1_000} s of due`,
      share(bare),
      share(kopeck),
      `${GOAL.punctual * 100} %`,
    ],
    ['resident memory at its peak, MiB', rss(bare), rss(kopeck), `< ${GOAL.rssMiB}`],
    ['CPU for 1,000 polls, ms (of which PostgreSQL)', cpu(bare), cpu(kopeck), ''],
    ['polls a second', rate(bare), rate(kopeck), ''],
    ['closest two polls of one task, ms', closest(bare), closest(kopeck), `≥ ${POLL_MS}`],
  ]
  const [empty = 0, grown = 0] = startMs
  return [
    '| | bare poller | Kopeck | goal |\n| --- | ---: | ---: | ---: |',
    ...rows.map((cells) => `| ${cells.join(' | ')} |`),
    '',
    `${MEASURED_MS / 1_000} s, each order due 3 s after the answer of its last poll, beside ${ENDED_ORDERS.toLocaleString('en')} ended ones; ${scanned} rows of orders were read by going through the table.`,
    `From the start of the process until it took messages: ${empty.toFixed(0)} ms without an order, ${grown.toFixed(0)} ms with all of them due.`,
    'The bare poller asks with undici and notes nothing. The service is a process of its own and not counted.',
  ].join('\n')
}

function closest({ closestMs }: Outcome): string {
  return closestMs.toFixed(0)
}
