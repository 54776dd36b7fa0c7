import { setTimeout as delay } from 'node:timers/promises'
import { Counter, Gauge, Histogram, Registry } from 'prom-client'
import type { LastCheck } from './ledger/check.ts'
import type { TaskFigures } from './ledger/tasks.ts'
import type { FailureKind } from './providers/failure.ts'
import type { ProviderUsage } from './providers/provider.ts'

/** A request that has ended: nothing more can be sent. */
export interface RequestEnd {
  method: string
  /** The pattern of its path, never the path itself; `unknown` if no route has it. */
  route: string
  /** The status of the answer; 499 if the client left before it. */
  status: number
  durationMs: number
}

/** `model`: of a creation the path of its endpoint. */
type Answering = {
  model: string
  upstream: string
}

export type ProviderRest = Answering & { restMs: number }

export interface MetricsContext {
  readTaskFigures: () => Promise<TaskFigures[]>
  readLastCheck: () => Promise<LastCheck | undefined>
  readDiskBytes: () => Promise<number | undefined>
  listRests: () => readonly ProviderRest[]
}

/** The help of each counter, and its labels. */
const COUNTERS = {
  kopeck_chat_answers_total: ['Answers that began', 'model', 'upstream'],
  kopeck_chat_tokens_total: ['Tokens that were charged for', 'model', 'direction'],
  kopeck_chat_held_roubles_total: ['Estimates that were held for chats'],
  kopeck_chat_charged_roubles_total: ['Costs of chats, settled or captured', 'end'],
  kopeck_chat_released_roubles_total: ['Estimates of chats that were refunded in full'],
  kopeck_chat_usage_disbelieved_total: ['Answers with impossible usage', 'model', 'reason'],
  kopeck_provider_failures_total: ['Failed tries of a provider', 'model', 'upstream', 'kind'],
  kopeck_callback_attempts_total: ['Attempts to deliver a callback', 'outcome'],
  kopeck_storage_refusals_total: ['Tries to store a result that the disk refused', 'cause'],
} satisfies Record<string, [help: string, ...labelNames: string[]]>

export type Metrics = ReturnType<typeof createMetrics>

/** Counts what one service instance does, in a registry of its own. Every method but `text()` is cheap and never throws. */
export function createMetrics(context: MetricsContext) {
  const registry = new Registry()
  const registers = [registry]
  const counters = Object.fromEntries(
    Object.entries(COUNTERS).map(([name, [help, ...labelNames]]) => {
      return [name, new Counter({ name, help, labelNames, registers })]
    }),
  ) as Record<keyof typeof COUNTERS, Counter>
  const requests = new Histogram({
    name: 'kopeck_http_request_seconds',
    help: 'Requests by method, route pattern and status; 499 for a client that left before an answer',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.005, 0.02, 0.1, 0.5, 2, 10, 60, 300],
    registers,
  })
  const firstTokens = new Histogram({
    name: 'kopeck_chat_first_token_seconds',
    help: 'Time of streams from the first request to an upstream to the first delta, failed tries included',
    labelNames: ['model'],
    buckets: [0.1, 0.25, 0.5, 1, 2, 4, 8, 16, 32, 64],
    registers,
  })
  const plainAnswers = new Histogram({
    name: 'kopeck_chat_plain_answer_seconds',
    help: 'Time of plain answers from the request to the upstream that gave it to its end',
    labelNames: ['model', 'upstream'],
    buckets: [0.25, 0.5, 1, 2, 4, 8, 16, 32, 64, 128, 256, 512],
    registers,
  })
  const streams = new Gauge({
    name: 'kopeck_chat_streams_open',
    help: 'Streamed requests that have not ended, those that wait for the first token included',
    registers,
  })
  addGauges(registry, context)
  // A rate sees nothing of the first event of a series that begins with it.
  for (const end of ['settled', 'captured'])
    counters.kopeck_chat_charged_roubles_total.inc({ end }, 0)
  return {
    requestEnded: ({ durationMs, ...labels }: RequestEnd) =>
      requests.observe(labels, durationMs / 1000),
    firstTokenCame: (model: string, waitedMs: number) =>
      firstTokens.observe({ model }, waitedMs / 1000),
    plainAnswerCame: (answering: Answering, waitedMs: number) =>
      plainAnswers.observe(answering, waitedMs / 1000),
    answerBegan: (answering: Answering) => counters.kopeck_chat_answers_total.inc(answering),
    tokensUsed(model: string, { promptTokens, completionTokens }: ProviderUsage): void {
      const { kopeck_chat_tokens_total: tokens } = counters
      tokens.inc({ model, direction: 'prompt' }, promptTokens)
      tokens.inc({ model, direction: 'completion' }, completionTokens)
    },
    usageDisbelieved: (model: string, reason: string) =>
      counters.kopeck_chat_usage_disbelieved_total.inc({ model, reason }),
    providerFailed: (tried: Answering & { kind: FailureKind }) =>
      counters.kopeck_provider_failures_total.inc(tried),
    streamOpened(): () => void {
      streams.inc()
      return () => streams.dec()
    },
    /** Counts the estimate of a chat request, and at its end its cost. */
    moneyMoved(end: 'held' | 'settled' | 'released' | 'captured', microRub: bigint): void {
      const roubles = toRoubles(microRub)
      if (end === 'held') counters.kopeck_chat_held_roubles_total.inc(roubles)
      else if (end === 'released') counters.kopeck_chat_released_roubles_total.inc(roubles)
      else counters.kopeck_chat_charged_roubles_total.inc({ end }, roubles)
    },
    callbackAttempted: (outcome: string) =>
      counters.kopeck_callback_attempts_total.inc({ outcome }),
    storageRefused: (cause: string) => counters.kopeck_storage_refusals_total.inc({ cause }),
    text: (): Promise<string> => registry.metrics(),
  }
}

type Values = [value: number | undefined, labels?: Record<string, string>][]

function addGauges(registry: Registry, context: MetricsContext): void {
  const readLastCheck = readRecently(context.readLastCheck)
  const readTaskFigures = readRecently(context.readTaskFigures)
  add('kopeck_disk_available_bytes', 'Space that is left for results', [], async () => [
    [await context.readDiskBytes()],
  ])
  add('kopeck_ledger_faults', 'Faults that the last check of the ledger found', [], async () => [
    [(await readLastCheck())?.faults],
  ])
  add('kopeck_ledger_checked_timestamp_seconds', 'Time of the last check', [], async () => {
    const last = await readLastCheck()
    return [[last && last.checkedAt.getTime() / 1000]]
  })
  add(
    'kopeck_upstream_cool_down_seconds',
    'Time for which an upstream is asked after the others, or creations are refused; 0 for none',
    ['model', 'upstream'],
    async () => context.listRests().map(({ restMs, ...labels }) => [restMs / 1000, labels]),
  )
  add('kopeck_tasks', 'Tasks by state, of all processes', ['status'], async () =>
    (await readTaskFigures()).map(({ status, tasks }) => [tasks, { status }]),
  )
  add('kopeck_task_roubles', 'Prices of tasks by state, of all processes', ['status'], async () =>
    (await readTaskFigures()).map((each) => [
      toRoubles(each.priceMicroRub),
      { status: each.status },
    ]),
  )

  /** If it cannot be read it is empty: an older value would look current. */
  function add(name: string, help: string, labelNames: string[], read: () => Promise<Values>) {
    const gauge = new Gauge({ name, help, labelNames, registers: [registry], collect })

    async function collect(): Promise<void> {
      const values = await read().catch((): Values => [])
      gauge.reset()
      if (labelNames.length === 0) gauge.remove()
      for (const [value, labels = {}] of values) if (value !== undefined) gauge.set(labels, value)
    }
  }
}

/** Converts to roubles for a graph; the ledger has them exact. */
function toRoubles(microRub: bigint): number {
  return Number(microRub) / 1e6
}

/** The shortest time between two reads of the database, however many ask. */
const READ_INTERVAL_MS = 10_000
const READ_MS_MAX = 2000

/** Shares the result of a read for 10 s. It fails after 2 s: other figures would wait for the database. */
function readRecently<T>(read: () => Promise<T>): () => Promise<T> {
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
