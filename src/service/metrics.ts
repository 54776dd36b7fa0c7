import { setTimeout as delay } from 'node:timers/promises'
import { Counter, Gauge, Histogram, Registry } from 'prom-client'
import type { TaskFigures } from './generation/tasks.ts'
import type { LastCheck } from './ledger/check.ts'
import type { FailureKind } from './providers/failure.ts'
import type { Usage } from './providers/provider.ts'

/** A request that has ended: nothing more can be sent. */
export interface RequestEnd {
  method: string
  /** The pattern of its path, never the path itself; `unknown` if no route has it. */
  route: string
  /** The status of the answer; 499 if the client left before it. */
  status: number
  durationMs: number
}

export interface ProviderRest {
  /** Of a creation the path of its endpoint. */
  model: string
  upstream: string
  restMs: number
}

export interface MetricsDeps {
  readTaskFigures: () => Promise<TaskFigures[]>
  readLastCheck: () => Promise<LastCheck | undefined>
  readDiskBytes: () => Promise<number | undefined>
  listRests: () => readonly ProviderRest[]
}

const HISTOGRAMS = {
  kopeck_http_request_seconds: {
    help: 'Requests by method, route pattern and status; 499 for a client that left before an answer',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.005, 0.02, 0.1, 0.5, 2, 10, 60, 300],
  },
  kopeck_chat_first_token_seconds: {
    help: 'Time of streams from the first request to an upstream to the first delta, failed tries included',
    labelNames: ['model'],
    buckets: [0.1, 0.25, 0.5, 1, 2, 4, 8, 16, 32, 64],
  },
  kopeck_chat_plain_answer_seconds: {
    help: 'Time of plain answers from the request to the upstream that gave it to its end',
    labelNames: ['model', 'upstream'],
    buckets: [0.25, 0.5, 1, 2, 4, 8, 16, 32, 64, 128, 256, 512],
  },
}

const COUNTERS = {
  kopeck_chat_answers_total: {
    help: 'Answers that began, by the upstream that gave them',
    labelNames: ['model', 'upstream'],
  },
  kopeck_chat_tokens_total: {
    help: 'Tokens that were charged for',
    labelNames: ['model', 'direction'],
  },
  kopeck_chat_held_roubles_total: {
    help: 'Roubles of the estimates that were taken for chats before they were answered',
  },
  kopeck_chat_charged_roubles_total: {
    help: 'Roubles that chats cost in the end: settled at what they used, or captured at the estimate',
    labelNames: ['end'],
  },
  kopeck_chat_released_roubles_total: {
    help: 'Roubles of the estimates that were given back whole, of chats that cost nothing',
  },
  kopeck_chat_usage_disbelieved_total: {
    help: 'Answers whose provider reported a usage that cannot be true; what was held was charged instead',
    labelNames: ['model', 'reason'],
  },
  kopeck_provider_failures_total: {
    help: 'Tries of a provider that failed, those after which another try succeeded included, by kind',
    labelNames: ['model', 'upstream', 'kind'],
  },
  kopeck_callback_attempts_total: {
    help: 'Attempts to deliver a callback, by outcome',
    labelNames: ['outcome'],
  },
  kopeck_storage_refusals_total: {
    help: 'Tries to store a finished result that the disk or the bucket refused, by cause',
    labelNames: ['cause'],
  },
}

interface GaugeRow {
  name: string
  help: string
  labelNames?: string[]
  read(deps: MetricsDeps): Promise<[value: number, labels?: Record<string, string>][]>
}

const GAUGES: readonly GaugeRow[] = [
  {
    name: 'kopeck_disk_available_bytes',
    help: 'What can be written to the disk of the results; the last gigabyte is left to PostgreSQL',
    read: async ({ readDiskBytes }) => one(await readDiskBytes()),
  },
  {
    name: 'kopeck_ledger_faults',
    help: 'Rows where the ledger is not as it promises, as the last check of any process found',
    read: async ({ readLastCheck }) => one((await readLastCheck())?.faults),
  },
  {
    name: 'kopeck_ledger_checked_timestamp_seconds',
    help: 'When the ledger was last checked, in seconds since 1970',
    read: async ({ readLastCheck }) => {
      const last = await readLastCheck()
      return one(last && last.checkedAt.getTime() / 1000)
    },
  },
  {
    name: 'kopeck_upstream_cool_down_seconds',
    help: 'How long an upstream is asked after the others yet, or creations are refused; 0 if it may be asked',
    labelNames: ['model', 'upstream'],
    read: async ({ listRests }) =>
      listRests().map(({ restMs, ...labels }) => [restMs / 1000, labels]),
  },
  {
    name: 'kopeck_tasks',
    help: 'Tasks by state, of all processes together',
    labelNames: ['status'],
    read: async ({ readTaskFigures }) =>
      (await readTaskFigures()).map(({ status, tasks }) => [tasks, { status }]),
  },
  {
    name: 'kopeck_task_roubles',
    help: 'Prices of the tasks by state, of all processes; those of the failed ones are refunded',
    labelNames: ['status'],
    read: async ({ readTaskFigures }) =>
      (await readTaskFigures()).map(({ status, priceMicroRub }) => [
        toRoubles(priceMicroRub),
        { status },
      ]),
  },
]

function one(value: number | undefined): [value: number][] {
  return value === undefined ? [] : [[value]]
}

export type Metrics = ReturnType<typeof createMetrics>

/** Counts what one service instance does, in a registry of its own. Every method but `text()` is cheap and never throws. */
export function createMetrics(deps: MetricsDeps) {
  const registry = new Registry()
  const registers = [registry]
  const histograms = mapRows(HISTOGRAMS, (row) => new Histogram({ ...row, registers }))
  const counters = mapRows(COUNTERS, (row) => new Counter({ ...row, registers }))
  const streams = new Gauge({
    name: 'kopeck_chat_streams_open',
    help: 'Streamed requests that have not ended, those that wait for the first token included',
    registers,
  })
  for (const row of GAUGES) addGauge(row, deps, registry)
  // A rate sees nothing of the first event of a series that begins with it.
  for (const end of ['settled', 'captured'])
    counters.kopeck_chat_charged_roubles_total.inc({ end }, 0)
  return {
    requestEnded({ durationMs, ...labels }: RequestEnd): void {
      histograms.kopeck_http_request_seconds.observe(labels, durationMs / 1000)
    },
    firstTokenCame(model: string, waitedMs: number): void {
      histograms.kopeck_chat_first_token_seconds.observe({ model }, waitedMs / 1000)
    },
    plainAnswerCame(answering: { model: string; upstream: string }, waitedMs: number): void {
      histograms.kopeck_chat_plain_answer_seconds.observe(answering, waitedMs / 1000)
    },
    answerBegan: (answering: { model: string; upstream: string }) =>
      counters.kopeck_chat_answers_total.inc(answering),
    tokensUsed(model: string, { promptTokens, completionTokens }: Usage): void {
      counters.kopeck_chat_tokens_total.inc({ model, direction: 'prompt' }, promptTokens)
      counters.kopeck_chat_tokens_total.inc({ model, direction: 'completion' }, completionTokens)
    },
    usageDisbelieved: (model: string, reason: string) =>
      counters.kopeck_chat_usage_disbelieved_total.inc({ model, reason }),
    providerFailed: (tried: { model: string; upstream: string; kind: FailureKind }) =>
      counters.kopeck_provider_failures_total.inc(tried),
    streamOpened(): () => void {
      streams.inc()
      return () => streams.dec()
    },
    /** Counts the estimate of a chat request, and at its end its cost. */
    moneyMoved(end: 'held' | 'settled' | 'released' | 'captured', microRub: bigint): void {
      if (end === 'held') counters.kopeck_chat_held_roubles_total.inc(toRoubles(microRub))
      else if (end === 'released')
        counters.kopeck_chat_released_roubles_total.inc(toRoubles(microRub))
      else counters.kopeck_chat_charged_roubles_total.inc({ end }, toRoubles(microRub))
    },
    callbackAttempted: (outcome: string) =>
      counters.kopeck_callback_attempts_total.inc({ outcome }),
    storageRefused: (cause: string) => counters.kopeck_storage_refusals_total.inc({ cause }),
    text: (): Promise<string> => registry.metrics(),
  }
}

function mapRows<Name extends string, Row, Metric>(
  rows: Record<Name, Row>,
  create: (row: Row & { name: Name }) => Metric,
): Record<Name, Metric> {
  const metrics = Object.entries<Row>(rows).map(([name, row]) => [
    name,
    create({ ...row, name: name as Name }),
  ])
  return Object.fromEntries(metrics)
}

/** Adds a gauge. If it cannot be read it is empty: an older value would look current. */
function addGauge({ read, ...row }: GaugeRow, deps: MetricsDeps, registry: Registry): void {
  new Gauge({
    ...row,
    registers: [registry],
    async collect() {
      const values = await read(deps).catch(() => [])
      this.reset()
      if (values.length === 0 && row.labelNames === undefined) this.remove()
      for (const [value, labels = {}] of values) this.set(labels, value)
    },
  })
}

/** Converts to roubles for a graph; the ledger has them exact. */
function toRoubles(microRub: bigint): number {
  return Number(microRub) / 1e6
}

/** The shortest time between two reads of the database, however many ask. */
const READ_INTERVAL_MS = 10_000
const READ_MS_MAX = 2000

/** Shares the result of a read for 10 s. It fails after 2 s: other figures would wait for the database. */
export function readRecently<T>(read: () => Promise<T>): () => Promise<T> {
  let last: { startedMs: number; figures: Promise<T> } | undefined
  return async () => {
    if (last === undefined || performance.now() - last.startedMs >= READ_INTERVAL_MS) {
      last = { startedMs: performance.now(), figures: read() }
    }
    const late = delay(READ_MS_MAX, undefined, { ref: false }).then(() => {
      throw new Error('Cannot read figures: the database does not answer')
    })
    return await Promise.race([last.figures, late])
  }
}
