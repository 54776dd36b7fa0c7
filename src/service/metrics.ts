import { Counter, Gauge, Histogram, Registry } from 'prom-client'
import type { TaskStatus } from '../contract/task.ts'
import type { TaskFigures } from './generation/task-figures.ts'
import type { LastCheck } from './ledger/reports/check-ledger.ts'
import type { FailureKind } from './providers/failure.ts'
import type { ProviderUsage } from './providers/provider.ts'

/** What became of the money of a chat request: its estimate, and at the end `settled` its cost. */
type MoneyMove = 'held' | 'settled' | 'released' | 'kept'

/** One request, once nothing more can be sent. */
export interface RequestEnd {
  method: string
  /** The pattern of its path, never the path itself; `unknown` if no route has it. */
  route: string
  /** What the client was answered; 499 if it left before that. */
  status: number
  durationMs: number
}

/** What the rooms of the service tell of their work. */
export type Metrics = ReturnType<typeof createMetrics>

interface TaskGauge {
  name: string
  help: string
  toValue: (figures: TaskFigures) => number
}

/** Accounts are made by hand, and few leave their requests: only of so many each has a series of its own. */
const ACCOUNT_LABELS_MAX = 1000

// From a health check to a long answer, and from a small model to a full context.
const REQUEST_SECONDS = [0.005, 0.02, 0.1, 0.5, 2, 10, 60, 300]
const FIRST_TOKEN_SECONDS = [0.1, 0.25, 0.5, 1, 2, 4, 8, 16, 32, 64]

/** What the gauges tell that this process does not count itself. @throws Where it cannot be read. */
export interface MetricsDeps {
  readTaskFigures: () => Promise<ReadonlyMap<TaskStatus, TaskFigures>>
  readLastCheck: () => Promise<LastCheck | undefined>
  /** What the disk of the results has left; undefined where it cannot be told. */
  readDiskBytes: () => Promise<number | undefined>
}

/**
 * Counts what one service instance does, in a registry of its own. Every method but `text()` is cheap and
 * never throws.
 */
export function createMetrics({ readTaskFigures, readLastCheck, readDiskBytes }: MetricsDeps) {
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
  const roubles = new Counter({
    name: 'kopeck_chat_roubles_total',
    help: 'Roubles held for chats, and how it ended: settled at a cost, released whole or kept whole',
    labelNames: ['move'],
    registers,
  })
  const disbelieved = new Counter({
    name: 'kopeck_chat_usage_disbelieved_total',
    help: 'Answers whose provider told a usage that cannot be true; what was held was charged instead',
    labelNames: ['model', 'reason'],
    registers,
  })
  const failures = new Counter({
    name: 'kopeck_provider_failures_total',
    help: 'Tries of a provider that failed, those after which another try succeeded included, by kind',
    labelNames: ['model', 'upstream', 'kind'],
    registers,
  })
  const leftEarly = new Counter({
    name: 'kopeck_chat_left_early_total',
    help: 'Chats that cost nothing because their client left before the first token, or the plain answer',
    labelNames: ['account'],
    registers,
  })
  const accountLabels = new Set<number>()
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
    help: 'Places where the ledger is not as it promises, as the last check of any process found',
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
    /** The first delta came so long after the first upstream was asked. */
    firstTokenCame(model: string, waitedMs: number): void {
      firstTokens.observe({ model }, waitedMs / 1000)
    },
    /** One of a model's upstreams began its answer, or has given it whole. */
    answerBegan(answering: { model: string; upstream: string }): void {
      answers.inc(answering)
    },
    /** A request was settled on this usage. */
    tokensUsed(model: string, { promptTokens, completionTokens }: ProviderUsage): void {
      tokens.inc({ model, direction: 'prompt' }, promptTokens)
      tokens.inc({ model, direction: 'completion' }, completionTokens)
    },
    /** A provider told a usage that cannot be true. @param reason One of few words: it is a label. */
    usageDisbelieved(model: string, reason: string): void {
      disbelieved.inc({ model, reason })
    },
    /** @param model Of a chat; of a creation the path of its endpoint. */
    providerFailed(tried: { model: string; upstream: string; kind: FailureKind }): void {
      failures.inc(tried)
    },
    /** A client had its estimate back because it left before there was anything to pay. */
    clientLeftEarly(accountId: number): void {
      if (accountLabels.size < ACCOUNT_LABELS_MAX) accountLabels.add(accountId)
      leftEarly.inc({ account: accountLabels.has(accountId) ? String(accountId) : 'other' })
    },
    /** @returns What to call when the stream is over. */
    streamOpened(): () => void {
      streams.inc()
      return () => streams.dec()
    },
    moneyMoved(move: MoneyMove, amountMicroRub: bigint): void {
      roubles.inc({ move }, toRoubles(amountMicroRub))
    },
    /** @param outcome One of few words: it is a label. */
    callbackAttempted(outcome: string): void {
      callbacks.inc({ outcome })
    },
    /** @param cause The system's word, such as `ENOSPC`, or `bucket`. */
    storageRefused(cause: string): void {
      storage.inc({ cause })
    },
    /** Everything as Prometheus reads it. */
    text: (): Promise<string> => registry.metrics(),
  }

  /** Where its value cannot be read the gauge is empty: an older one would look current. */
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

  /** The same with a value for each state. */
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

/** A graph's roubles; the ledger has them exact. */
function toRoubles(microRub: bigint): number {
  return Number(microRub) / 1e6
}
