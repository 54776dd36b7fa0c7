import { type Job, PgBoss } from 'pg-boss'

/**
 * The queues by name. A job says "look at this row": the row holds the truth, so a job that comes
 * twice, or late, finds nothing to do.
 *
 * `workers` × `batch` jobs run at once in a process. A batch ends with its slowest job, so quick
 * visits share one and slow ones get workers of their own.
 */
const QUEUES = {
  /** Drives a task of the service through its provider. */
  generation: { workers: 8, batch: 1 },
  /** Hands the callback of an ended task over to be delivered. */
  callback: { workers: 1, batch: 200 },
  /** Asks the service how an order's task stands. */
  'order-poll': { workers: 1, batch: 200 },
  /** Sends a finished clip, or says why there is none. */
  'order-deliver': { workers: 4, batch: 1 },
} as const

export type QueueName = keyof typeof QUEUES

/**
 * Looks at one row.
 *
 * @returns When to look again; undefined when there is nothing more to do.
 * @throws Anything: the row is looked at again, later and later.
 */
export type Visit = (id: string) => Promise<Date | undefined>

/** Durable jobs on PostgreSQL. */
export interface Jobs {
  /** Has the row looked at, now or at `at`. A visit that already waits for its time serves. */
  send(queue: QueueName, id: string, at?: Date): Promise<void>
  /** Begins to work on a queue in this process. */
  work(queue: QueueName, visit: Visit): Promise<void>
  /** Takes no more jobs and waits for those that run, up to `timeoutMs`. */
  stop(timeoutMs: number): Promise<void>
}

const RETRY_DELAY_S = 1
const RETRY_DELAY_MAX_S = 60
/** Failing visits go on for a day at the longest delay; the rows' own deadlines end them sooner. */
const RETRIES_MAX = 1500
const EXPIRE_S = 600
const DELETE_AFTER_S = 3600
const POLL_INTERVAL_S = 0.5

export interface JobsOptions {
  url: string
  /** Told of what a visit threw, and of trouble with the database. */
  onError: (error: Error) => void
}

/** Opens the queues, making their tables on the first run. */
export async function startJobs({ url, onError }: JobsOptions): Promise<Jobs> {
  const boss = new PgBoss({
    connectionString: url,
    schema: 'jobs',
    max: 6,
    useListenNotify: true,
    schedule: false,
  })
  boss.on('error', onError)
  await boss.start()
  for (const name of Object.keys(QUEUES)) {
    await boss.createQueue(name, {
      policy: 'short',
      notify: true,
      retryLimit: RETRIES_MAX,
      retryDelay: RETRY_DELAY_S,
      retryBackoff: true,
      retryDelayMax: RETRY_DELAY_MAX_S,
      expireInSeconds: EXPIRE_S,
      deleteAfterSeconds: DELETE_AFTER_S,
    })
  }
  return { send, work, stop }

  async function send(queue: QueueName, id: string, at?: Date): Promise<void> {
    await boss.send(queue, { id }, { singletonKey: id, ...(at && { startAfter: at }) })
  }

  async function work(queue: QueueName, visit: Visit): Promise<void> {
    const { workers, batch } = QUEUES[queue]
    const options = {
      localConcurrency: workers,
      batchSize: batch,
      burstWhenBatchFull: true,
      pollingIntervalSeconds: POLL_INTERVAL_S,
      notifyPollingIntervalSeconds: POLL_INTERVAL_S,
      perJobResults: true,
    } as const
    await boss.work(queue, options, (jobs: Job<{ id: string }>[]) =>
      Promise.all(
        jobs.map(async ({ id: jobId, data }) => {
          try {
            const again = await visit(data.id)
            if (again !== undefined) await send(queue, data.id, again)
            return { id: jobId, status: 'completed' as const }
          } catch (error) {
            onError(error as Error)
            return { id: jobId, status: 'failed' as const }
          }
        }),
      ),
    )
  }

  async function stop(timeoutMs: number): Promise<void> {
    await boss.stop({ graceful: true, timeout: timeoutMs, close: true })
  }
}
