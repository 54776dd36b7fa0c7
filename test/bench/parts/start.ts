import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { createPlayground } from '../../../src/playground/playground.ts'
import { type Checkout, npmStart } from '../checkout.ts'
import { inTurn } from '../in-turn.ts'
import { type CpuTaken, measureCpu } from '../measuring/cpu.ts'
import { readProcessFigures } from '../measuring/process-figures.ts'
import { startProgram } from '../measuring/program.ts'
import type { BenchContext } from '../part.ts'
import { type Table, toRow } from '../report/table.ts'

/** The time after which all that a process does once after its start is over. */
const SETTLE_MS = 10_000
const IDLE_MS = 20_000

/** Milliseconds until it is ready. */
interface Starts {
  cold: number
  freshData: number
  warm: number
}

interface Idle {
  rssMiB: number
  transactionsPerSecond: number
  cpu: CpuTaken
}

/** A server that bots get their updates from; there are none. */
type Telegram = Readonly<Record<'BOT_TOKEN' | 'TELEGRAM_API_ROOT', string>>

/** Measures the time from `npm start` in all roles to ready, and what it costs to be there. */
export async function start(context: BenchContext): Promise<Table[]> {
  const { checkouts } = context
  const playground = createPlayground({ flood: 'off' })
  try {
    const { apiRoot } = await playground.listen()
    const telegram = { BOT_TOKEN: playground.token, TELEGRAM_API_ROOT: apiRoot }
    const starts = await inTurn(checkouts, context, (each) =>
      measureStarts(each, telegram, context),
    )
    // What is idle varies little from round to round.
    const idle = await inTurn(checkouts, { ...context, rounds: 1 }, (each) =>
      measureIdle(each, telegram, context),
    )
    const columns = checkouts.map(({ name }) => name)
    const inMs = { unit: 'ms' }
    return [
      {
        title: 'Start to ready',
        says: 'All roles in one process with the embedded database, on all cores. Cold: nothing in DATA_DIR, and no code compiled before. Warm: as it is when it ran before.',
        columns,
        rows: [
          toRow(starts, {
            name: 'cold',
            ...inMs,
            goals: [{ is: 'at most', value: 4_000 }],
            pick: (run) => run.cold,
          }),
          toRow(starts, {
            name: 'nothing in DATA_DIR',
            ...inMs,
            pick: (run) => run.freshData,
          }),
          toRow(starts, {
            name: 'warm',
            ...inMs,
            goals: [{ is: 'at most', value: 1_500 }],
            pick: (run) => run.warm,
          }),
        ],
      },
      {
        title: 'Idle',
        says: `All roles in one process that nobody uses, ${SETTLE_MS / 1_000} s after its start and for ${IDLE_MS / 1_000} s, on one core with PostgreSQL.`,
        columns,
        rows: [
          toRow(idle, {
            name: 'resident memory',
            unit: 'MiB',
            goals: [{ is: 'at most', value: 130 }],
            pick: (run) => run.rssMiB,
          }),
          toRow(idle, {
            name: 'transactions',
            unit: 'a second',
            digits: 1,
            goals: [{ is: 'at most', value: 5 }],
            pick: (run) => run.transactionsPerSecond,
          }),
          toRow(idle, {
            name: '1 s: the process',
            unit: 'CPU ms',
            digits: 1,
            pick: ({ cpu }) => (cpu.processMs * 1_000) / IDLE_MS,
          }),
          toRow(idle, {
            name: '1 s: PostgreSQL',
            unit: 'CPU ms',
            digits: 1,
            pick: ({ cpu }) => cpu.databaseMs && (cpu.databaseMs * 1_000) / IDLE_MS,
          }),
        ],
      },
    ]
  } finally {
    await playground.close()
  }
}

async function measureStarts(
  checkout: Checkout,
  telegram: Telegram,
  { cores, signal }: BenchContext,
): Promise<Starts> {
  const folder = await mkdtemp(join(tmpdir(), 'kopeck-bench-'))
  const startOnce = async (data: string) => {
    const env = {
      ...telegram,
      DATA_DIR: join(folder, data),
      PORT: '0',
      NODE_COMPILE_CACHE: join(folder, 'compiled'),
    }
    const program = await npmStart(checkout)
    const startedAt = performance.now()
    const running = await startProgram({
      program,
      env,
      root: checkout.root,
      core: cores.all,
      signal,
    })
    const ms = performance.now() - startedAt
    await running.stop()
    return ms
  }
  try {
    const cold = await startOnce('data')
    const warm = await startOnce('data')
    return { cold, warm, freshData: await startOnce('fresh') }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function measureIdle(
  checkout: Checkout,
  telegram: Telegram,
  { database, cores, signal }: BenchContext,
): Promise<Idle> {
  const databaseUrl = await database.create(checkout)
  const dataDir = await mkdtemp(join(tmpdir(), 'kopeck-bench-'))
  const ends: (() => Promise<unknown>)[] = [() => rm(dataDir, { recursive: true, force: true })]
  try {
    const elsewhere = new URL(databaseUrl)
    elsewhere.pathname = '/postgres'
    const client = new pg.Client({ connectionString: elsewhere.href })
    await client.connect()
    ends.push(() => client.end())
    const env = { ...telegram, DATABASE_URL: databaseUrl, DATA_DIR: dataDir, PORT: '0' }
    const program = await npmStart(checkout)
    const { root } = checkout
    const running = await startProgram({ program, env, root, core: cores.measured, signal })
    ends.push(running.stop)
    await delay(SETTLE_MS, undefined, { signal })
    const name = new URL(databaseUrl).pathname.slice(1)
    const before = await readTransactions(client, name)
    const { cpu } = await measureCpu({ pid: running.pid, database }, () =>
      delay(IDLE_MS, undefined, { signal }),
    )
    const transactions = (await readTransactions(client, name)) - before
    const { rssBytes } = await readProcessFigures(running.pid)
    return {
      rssMiB: rssBytes / 2 ** 20,
      transactionsPerSecond: transactions / (IDLE_MS / 1_000),
      cpu,
    }
  } finally {
    for (const end of ends.reverse()) await end()
  }
}

async function readTransactions(client: pg.Client, database: string): Promise<number> {
  const { rows } = await client.query<{ transactions: string }>(
    'SELECT xact_commit + xact_rollback AS transactions FROM pg_stat_database WHERE datname = $1',
    [database],
  )
  return Number(rows[0]?.transactions)
}
