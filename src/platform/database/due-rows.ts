/**
 * Durable work: rows that carry their own schedule, visited when they are due, each by one process at a time.
 *
 * In: a table with `due_at` (null when nothing is left to do), `failed_visits` and `lease_owner`, and a visit. Out: how
 * each visit leaves its row. A statement that makes a row due notifies the processes by `pg_notify('schema.table', '')`;
 * this counts also during a visit of the row. A visit may come late, and again after a crash.
 *
 * Invariant: the end of a lease changes the row only while the row names this process.
 */
import type { Pool } from 'pg'
import type { TroubleLog } from '../fold-repeats.ts'
import { systemClock as clock } from '../time/clock.ts'
import { stopGracefully } from '../time/graceful-stop.ts'
import { backoffMs } from '../time/retry.ts'
import { aliveSql, type Instance, isFreeSql } from './instance/instance.ts'
import type { Notifications } from './instance/session.ts'
import type { Sweep } from './instance/sweep.ts'

/** Notifications report all that is due, except rows that another process has no room for. */
const LOOK_INTERVAL_MS = 5_000
/** Rows that become due one after the other are taken together. */
const LOOK_PAUSE_MS = 25
const TROUBLE_INTERVAL_MS = 1_000
const TAKEN_MAX = 500
const RETRY = { firstMs: 1_000, maxMs: 60_000 }

/** A table of due rows, and which of them. All of it is SQL written by us: it is not escaped. */
export interface DueTable {
  /** The name with its schema, such as `service.task`. It is also the channel of its notifications. */
  name: string
  key: string
  where?: string
}

export interface TakenRow {
  id: string
  /** Its `due_at` during the visit, to the microsecond. */
  dueAt: string
  failedVisits: number
}

export interface DueAgain {
  /** Milliseconds until the row is due again, unless it was made due meanwhile; undefined if nothing is left to do. */
  dueInMs: number | undefined
  failedVisits: number
}

/**
 * Visits one row and does what is due. The process may lose the row's lease meanwhile: each write of a visit names
 * the lease owner.
 * @returns In how many milliseconds the row is due again; undefined if nothing is left to do.
 * @throws Anything: the row is due again in 1 s, then ever later, up to 60 s.
 */
export type Visit = (row: TakenRow, signal: AbortSignal) => Promise<number | DueAgain | undefined>

export interface DueRowsWork {
  table: DueTable
  concurrency: number
  visit: Visit
}

export interface Worker {
  /** Waits `timeoutMs` for the running visits, then aborts them: their rows are due at once, for any process. */
  stop(timeoutMs: number): Promise<void>
}

export type DueRows = ReturnType<typeof createDueRows>

export interface DueRowsDeps {
  pool: Pick<Pool, 'query'>
  instance: Pick<Instance, 'id'>
  notifications: Notifications
  sweep: Pick<Sweep, 'add'>
  log: Pick<TroubleLog, 'error'>
}

export function createDueRows(deps: DueRowsDeps) {
  return { work: (work: DueRowsWork): Worker => new RowWorker(deps, work) }
}

class RowWorker implements Worker {
  readonly #deps: DueRowsDeps
  readonly #work: DueRowsWork
  readonly #visits = new Map<string, Promise<void>>()
  readonly #cutOff = new AbortController()
  readonly #looking: Promise<void>
  #waking = new AbortController()
  #isStopping = false

  constructor(deps: DueRowsDeps, work: DueRowsWork) {
    this.#deps = deps
    this.#work = work
    this.#looking = this.#keepLooking()
    deps.notifications.listen(work.table.name, { onNotification: this.#wake, onGap: this.#wake })
    void deps.sweep.add(async () => this.#wake())
  }

  async stop(timeoutMs: number): Promise<void> {
    this.#isStopping = true
    this.#wake()
    const ended = this.#looking.then(() => Promise.allSettled(this.#visits.values()))
    await stopGracefully([ended], { timeoutMs, stopping: this.#cutOff })
  }

  readonly #wake = (): void => this.#waking.abort()

  async #keepLooking(): Promise<void> {
    while (!this.#isStopping) {
      this.#waking = new AbortController()
      const nextInMs = await this.#look()
      await clock.sleep(LOOK_PAUSE_MS)
      // A wake-up ends the wait, which is no error.
      await clock.sleep(nextInMs - LOOK_PAUSE_MS, this.#waking.signal).catch(() => {})
    }
  }

  async #look(): Promise<number> {
    const { table, concurrency } = this.#work
    const limit = Math.min(TAKEN_MAX, concurrency - this.#visits.size)
    // The end of a visit makes room, and wakes.
    if (limit === 0) return LOOK_INTERVAL_MS
    try {
      const { pool, instance } = this.#deps
      const taken = await takeRows(pool, table, instance.id, [...this.#visits.keys()], limit)
      for (const row of taken) this.#visits.set(row.id, this.#visitAndEnd(row))
      if (taken.length === limit) return 0
      return Math.min(await readNextInMs(pool, table), LOOK_INTERVAL_MS)
    } catch (error) {
      this.#report(error, 'cannot look for due rows, tried again')
      return TROUBLE_INTERVAL_MS
    }
  }

  async #visitAndEnd(row: TakenRow): Promise<void> {
    const due = await this.#visit(row)
    try {
      await endLease(this.#deps.pool, this.#work.table, this.#deps.instance.id, row, due)
    } catch (error) {
      // The row keeps its lease, or has lost it: the next look takes it in either case.
      this.#report(error, 'lease of a visited row not ended', { id: row.id })
      await clock.sleep(TROUBLE_INTERVAL_MS, this.#cutOff.signal).catch(() => {})
    }
    this.#visits.delete(row.id)
    this.#wake()
  }

  async #visit(row: TakenRow): Promise<DueAgain> {
    const { signal } = this.#cutOff
    const givenBack = { dueInMs: 0, failedVisits: row.failedVisits }
    // It may be that the process began to stop while rows were taken.
    if (this.#isStopping) return givenBack
    try {
      const due = await this.#work.visit(row, signal)
      return typeof due === 'object' ? due : { dueInMs: due, failedVisits: 0 }
    } catch (error) {
      if (signal.aborted) return givenBack
      this.#report(error, 'visit failed, made again later', { id: row.id })
      return dueAfterFailure(row)
    }
  }

  #report(error: unknown, message: string, facts: object = {}): void {
    this.#deps.log.error({ err: error, table: this.#work.table.name, ...facts }, message)
  }
}

export function dueAfterFailure(row: Pick<TakenRow, 'failedVisits'>): DueAgain {
  const failedVisits = row.failedVisits + 1
  return { dueInMs: backoffMs(RETRY, failedVisits), failedVisits }
}

/** Leases the rows due longest, also own leases outside `visited`: their taking or end had no answer. */
export async function takeRows(
  pool: Pick<Pool, 'query'>,
  { name, key, where = 'true' }: DueTable,
  leaseOwner: number,
  visited: readonly string[],
  limit: number,
): Promise<TakenRow[]> {
  const { rows } = await pool.query<TakenRow>(
    `WITH due AS (
       SELECT ${key} AS due_key FROM ${name}
       WHERE due_at <= now() AND (${where}) AND ${aliveSql('$1')}
         AND (${isFreeSql('lease_owner')} OR lease_owner = $1 AND ${key} <> ALL ($2::bigint[]))
       ORDER BY due_at LIMIT $3 FOR UPDATE SKIP LOCKED
     )
     UPDATE ${name} SET lease_owner = $1 FROM due WHERE ${key} = due_key
     RETURNING ${key}::text AS id, due_at::text AS "dueAt", failed_visits AS "failedVisits"`,
    [leaseOwner, visited, limit],
  )
  return rows
}

async function readNextInMs(
  pool: Pick<Pool, 'query'>,
  { name, where = 'true' }: DueTable,
): Promise<number> {
  const { rows } = await pool.query<{ ms: number | null }>(
    `SELECT ceil(extract(epoch FROM min(due_at) - now()) * 1000)::float8 AS ms FROM ${name}
     WHERE due_at > now() AND (${where})`,
  )
  return rows[0]?.ms ?? LOOK_INTERVAL_MS
}

export async function endLease(
  pool: Pick<Pool, 'query'>,
  { name, key }: DueTable,
  leaseOwner: number,
  { id, dueAt }: TakenRow,
  { dueInMs, failedVisits }: DueAgain,
): Promise<void> {
  await pool.query(
    `WITH ended AS (
       UPDATE ${name} SET lease_owner = NULL, failed_visits = $4, due_at = CASE
         WHEN due_at = $3::timestamptz THEN now() + $5::float8 * interval '1 ms' ELSE due_at END
       WHERE ${key} = $2 AND lease_owner = $1 RETURNING due_at <= now() AS is_due
     )
     SELECT pg_notify('${name}', '') FROM ended WHERE is_due`,
    [leaseOwner, id, dueAt, failedVisits, dueInMs ?? null],
  )
}
