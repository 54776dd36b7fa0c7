import { setTimeout as delay } from 'node:timers/promises'
import { Counter, Gauge, Histogram, Registry } from 'prom-client'
import type { TaskStatus } from '../contract/tasks.ts'
import type { TaskFigures } from './generation/task-figures.ts'
import type { LastCheck } from './ledger/check.ts'
import type { FailureKind } from './providers/failure.ts'
import type { Usage } from './providers/provider.ts'

/** A movement of the money of a chat request: its estimate, and at the end `settled` its cost. */
type MoneyMove = 'held' | 'settled' | 'released' | 'captured'

/** A request that has ended: nothing more can be sent. */
export interface RequestEnd {
  method: string
  /** The pattern of its path, never the path itself; `unknown` if no route has it. */
  route: string
  /** The status of the answer; 499 if the client left before it. */
  status: number
  durationMs: number
}

/** The counters of the service, which its modules call. */
export type Metrics = ReturnType<typeof createMetrics>

interface TaskGauge {
  name: string
  help: string
  toValue: (figures: TaskFigures) => number
}

/** How long a provider is better left alone, as it said or as a failure of it makes us think. */
export interface ProviderRest {
  /** Of a creation the path of its endpoint. */
  model: string
  upstream: string
  restMs: number
}

// From a health check to a long answer, and from a small model to a full context.
const REQUEST_SECONDS = [0.005, 0.02, 0.1, 0.5, 2, 10, 60, 300]
const FIRST_TOKEN_SECONDS = [0.1, 0.25, 0.5, 1, 2, 4, 8, 16, 32, 64]
const PLAIN_ANSWER_SECONDS = [0.25, 0.5, 1, 2, 4, 8, 16, 32, 64, 128, 256, 512]

/** The reads of gauges that this process does not count itself. @throws Where one cannot be read. */
export interface MetricsDeps {
  readTaskFigures: () => Promise<ReadonlyMap<TaskStatus, TaskFigures>>
  readLastCheck: () => Promise<LastCheck | undefined>
  readDiskBytes: () => Promise<number | undefined>
  listRests: () => readonly ProviderRest[]
}

/**
 * Counts what one service instance does, in a registry of its own. Every method but `text()` is cheap and
 * never throws.
 */
export function createMetrics({
  readTaskFigures,
  readLastCheck,
  readDiskBytes,
  listRests,
}: MetricsDeps) {
  const registry = new Registry()
  const registers = [registry]
  const requests = new Histogram({
    name: 'kopeck_http_request_seconds',
    help: 'Requests by method, route pattern and status; 499 for a client that left before an answer',
    labelNames: ['method', 'route', 'status'],
    buckets: REQUEST_SECONDS,
    registers,
  })
  const firstTokens = new Histogram({
    name: 'kopeck_chat_first_token_seconds',
    help: 'Time of streams from the first request to an upstream to the first delta, failed tries included',
    labelNames: ['model'],
    buckets: FIRST_TOKEN_SECONDS,
    registers,
  })
  const plainAnswers = new Histogram({
    name: 'kopeck_chat_plain_answer_seconds',
    help: 'Time of plain answers from the request to the upstream that gave it to its end',
    labelNames: ['model', 'upstream'],
    buckets: PLAIN_ANSWER_SECONDS,
    registers,
  })
  const answers = new Counter({
    name: 'kopeck_chat_answers_total',
    help: 'Answers that began, by the upstream that gave them',
    labelNames: ['model', 'upstream'],
    registers,
  })
  const tokens = new Counter({
    name: 'kopeck_chat_tokens_total',
    help: 'Tokens that were charged for',
    labelNames: ['model', 'direction'],
    registers,
  })
  const heldRoubles = new Counter({
    name: 'kopeck_chat_held_roubles_total',
    help: 'Roubles of the estimates that were taken for chats before they were answered',
    registers,
  })
  const chargedRoubles = new Counter({
    name: 'kopeck_chat_charged_roubles_total',
    help: 'Roubles that chats cost in the end: settled at what they used, or captured at the estimate',
    labelNames: ['end'],
    registers,
  })
  // A rate sees nothing of the first event of a series that begins with it.
  for (const end of ['settled', 'captured'] as const) chargedRoubles.inc({ end }, 0)
  const releasedRoubles = new Counter({
    name: 'kopeck_chat_released_roubles_total',
    help: 'Roubles of the estimates that were given back whole, of chats that cost nothing',
    registers,
  })
  const disbelieved = new Counter({
    name: 'kopeck_chat_usage_disbelieved_total',
    help: 'Answers whose provider reported a usage that cannot be true; what was held was charged instead',
    labelNames: ['model', 'reason'],
    registers,
  })
  const failures = new Counter({
    name: 'kopeck_provider_failures_total',
    help: 'Tries of a provider that failed, those after which another try succeeded included, by kind',
    labelNames: ['model', 'upstream', 'kind'],
    registers,
  })
  const streams = new Gauge({
    name: 'kopeck_chat_streams_open',
    help: 'Streamed requests that have not ended, those that wait for the first token included',
    registers,
  })
  const callbacks = new Counter({
    name: 'kopeck_callback_attempts_total',
    help: 'Attempts to deliver a callback, by outcome',
    labelNames: ['outcome'],
    registers,
  })
  const storage = new Counter({
    name: 'kopeck_storage_refusals_total',
    help: 'Tries to store a finished result that the disk or the bucket refused, by cause',
    labelNames: ['cause'],
    registers,
  })
  addGauge({
    name: 'kopeck_disk_available_bytes',
    help: 'What can be written to the disk of the results; the last gigabyte is left to PostgreSQL',
    read: readDiskBytes,
  })
  addGauge({
    name: 'kopeck_ledger_faults',
    help: 'Rows where the ledger is not as it promises, as the last check of any process found',
    read: async () => (await readLastCheck())?.faults,
  })
  addGauge({
    name: 'kopeck_ledger_checked_timestamp_seconds',
    help: 'When the ledger was last checked, in seconds since 1970',
    read: async () => {
      const last = await readLastCheck()
      return last && last.checkedAt.getTime() / 1000
    },
  })
  new Gauge({
    name: 'kopeck_upstream_cool_down_seconds',
    help: 'How long an upstream is asked after the others yet, or creations are refused; 0 if it may be asked',
    labelNames: ['model', 'upstream'],
    registers,
    collect() {
      // Those that a reload took off sale have none any more.
      this.reset()
      for (const { model, upstream, restMs } of listRests())
        this.set({ model, upstream }, restMs / 1000)
    },
  })
  addTaskGauge({
    name: 'kopeck_tasks',
    help: 'Tasks by state, of all processes together',
    toValue: ({ tasks }) => tasks,
  })
  addTaskGauge({
    name: 'kopeck_task_roubles',
    help: 'Prices of the tasks by state, of all processes; those of the failed ones are refunded',
    toValue: ({ priceMicroRub }) => toRoubles(priceMicroRub),
  })

  return {
    requestEnded({ method, route, status, durationMs }: RequestEnd): void {
      requests.observe({ method, route, status }, durationMs / 1000)
    },
    firstTokenCame(model: string, waitedMs: number): void {
      firstTokens.observe({ model }, waitedMs / 1000)
    },
    plainAnswerCame(answering: { model: string; upstream: string }, waitedMs: number): void {
      plainAnswers.observe(answering, waitedMs / 1000)
    },
    answerBegan(answering: { model: string; upstream: string }): void {
      answers.inc(answering)
    },
    tokensUsed(model: string, { promptTokens, completionTokens }: Usage): void {
      tokens.inc({ model, direction: 'prompt' }, promptTokens)
      tokens.inc({ model, direction: 'completion' }, completionTokens)
    },
    /** Counts a reported usage that cannot be true. @param reason One of few words: it is a label. */
    usageDisbelieved(model: string, reason: string): void {
      disbelieved.inc({ model, reason })
    },
    providerFailed(tried: { model: string; upstream: string; kind: FailureKind }): void {
      failures.inc(tried)
    },
    streamOpened(): () => void {
      streams.inc()
      return () => streams.dec()
    },
    moneyMoved(move: MoneyMove, amountMicroRub: bigint): void {
      const amount = toRoubles(amountMicroRub)
      if (move === 'held') heldRoubles.inc(amount)
      else if (move === 'released') releasedRoubles.inc(amount)
      else chargedRoubles.inc({ end: move }, amount)
    },
    callbackAttempted(outcome: string): void {
      callbacks.inc({ outcome })
    },
    storageRefused(cause: string): void {
      storage.inc({ cause })
    },
    text: (): Promise<string> => registry.metrics(),
  }

  /** Adds a gauge. Where its value cannot be read it is empty: an older one would look current. */
  function addGauge({
    name,
    help,
    read,
  }: {
    name: string
    help: string
    read: () => Promise<number | undefined>
  }): void {
    new Gauge({
      name,
      help,
      registers,
      async collect() {
        const value = await read().catch(() => undefined)
        if (value === undefined) this.remove()
        else this.set(value)
      },
    })
  }

  function addTaskGauge({ name, help, toValue }: TaskGauge): void {
    new Gauge({
      name,
      help,
      labelNames: ['status'],
      registers,
      async collect() {
        this.reset()
        const all = await readTaskFigures().catch(() => undefined)
        for (const [status, figures] of all ?? []) this.set({ status }, toValue(figures))
      },
    })
  }
}

/** Converts to roubles for a graph; the ledger has them exact. */
function toRoubles(microRub: bigint): number {
  return Number(microRub) / 1e6
}

/** The shortest time between two reads of the database, however many ask. */
const READ_INTERVAL_MS = 10_000
const READ_MS_MAX = 2000

/**
 * Shares the result of a read for 10 s.
 *
 * @throws What `read` throws, and an error after 2 s: a database that is away would hold up every other figure.
 */
export function readRecently<T>(read: () => Promise<T>): () => Promise<T> {
  let reading: { startedMs: number; figures: Promise<T> } | undefined
  return async () => {
    if (reading === undefined || performance.now() - reading.startedMs >= READ_INTERVAL_MS) {
      reading = { startedMs: performance.now(), figures: read() }
    }
    return await Promise.race([reading.figures, giveUp()])
  }
}

async function giveUp(): Promise<never> {
  await delay(READ_MS_MAX, undefined, { ref: false })
  throw new Error('Cannot read figures: the database does not answer')
}
