/**
 * Durable work: rows that carry their own schedule, visited when they are due, each by one process at a time.
 *
 * In: a table of such rows and a visit. Out: how each visit leaves its row. The table has three columns, and a partial
 * index on the first:
 * - `due_at timestamptz`: when the row is to be visited; null when nothing is left to do;
 * - `failed_visits int NOT NULL DEFAULT 0`: how many visits in a row threw;
 * - `lease_owner int`: the process that visits it now (src/platform/database/instance/instance-row.ts).
 *
 * The statement that inserts a row with `due_at` schedules it, in its own transaction, and notifies the processes by
 * `pg_notify('schema.table', '')`; so does a statement that makes a row due sooner, which counts also during a visit of
 * the row. The statement that ends a row sets `due_at` to null. A visit finds by the row itself what is to be done: it
 * may come late, and again after a crash.
 */
import type { Pool } from 'pg'
import type { Instance } from '../database/instance/instance.ts'
import type { Notifications } from '../database/instance/notifications.ts'
import type { Sweep } from '../database/instance/sweep.ts'
import { isDatabaseTrouble } from '../database/trouble.ts'
import type { TroubleLog } from '../fold-repeats.ts'
import { stopGracefully } from '../time/graceful-stop.ts'
import { backoffMs } from '../time/retry.ts'
import {
  type DueAgain,
  type DueTable,
  type EndedRow,
  RowLeases,
  type TakenRow,
} from './row-leases.ts'

export type { DueAgain, DueTable, TakenRow }

/** Notifications report all that is due, except rows that another process has no room for. */
const LOOK_INTERVAL_MS = 5_000
/** Rows that become due one after the other are taken together, and those whose visits end are ended together. */
const LOOK_PAUSE_MS = 25
const TROUBLE_INTERVAL_MS = 1_000
const TAKEN_MAX = 500

const RETRY = { firstMs: 1_000, maxMs: 60_000 }

/**
 * Visits one row and does what is due. This process has the row's lease meanwhile, but may lose it when it is taken for
 * dead: each write of a visit names the lease owner.
 *
 * @param signal Aborted when the process cannot wait for the visit any longer.
 * @returns In how many milliseconds the row is due again; undefined when there is nothing more to do.
 * @throws Anything: the row is due again in 1 s, then ever later, up to 60 s.
 */
export type Visit = (row: TakenRow, signal: AbortSignal) => Promise<number | DueAgain | undefined>

/** One kind of work on the rows of a table. */
export interface DueRowsWork {
  table: DueTable
  /** The most visits of this process at once. */
  concurrency: number
  visit: Visit
}

export interface Worker {
  /**
   * Takes no more rows and lets the visits that run end for `timeoutMs`, then cuts them off. The rows of these are due
   * at once, for other processes or the next start.
   */
  stop(timeoutMs: number): Promise<void>
}

/** The due rows of one process. */
export interface DueRows {
  work(work: DueRowsWork): Worker
}

export interface DueRowsDeps {
  pool: Pick<Pool, 'query'>
  /** This process. It has one `DueRows`, which alone leases rows of their tables. */
  instance: Pick<Instance, 'id'>
  notifications: Pick<Notifications, 'listen'>
  sweep: Pick<Sweep, 'add'>
  log: Pick<TroubleLog, 'error'>
}

/** All work of a process on one table: a row may turn from one kind of work to another during its visit. */
interface SharedTable {
  visited: Map<string, TakenRow>
  loops: Set<Pick<Loop, 'lookIn' | 'recover'>>
}

export function createDueRows(deps: DueRowsDeps): DueRows {
  const tables = new Map<string, SharedTable>()
  return {
    work(work) {
      const { name } = work.table
      const shared = tables.get(name) ?? { visited: new Map(), loops: new Set() }
      tables.set(name, shared)
      return new Loop(deps, work, shared)
    },
  }
}

/** Ends the leases of rows that were visited, takes due rows of one kind, and visits each. */
class Loop implements Worker {
  readonly #log: DueRowsDeps['log']
  readonly #work: DueRowsWork
  readonly #shared: SharedTable
  readonly #leases: RowLeases
  readonly #visits = new Set<Promise<void>>()
  readonly #stopping = new AbortController()
  #ended: EndedRow[] = []
  #looking = Promise.resolve()
  #timer: NodeJS.Timeout | undefined
  #looksAt = Number.POSITIVE_INFINITY
  #lookedAt = Number.NEGATIVE_INFINITY
  #isStopping = false
  /** This process may have leases of rows that no visit of its own runs on, or an ended process may. */
  #mayRecover = false

  constructor(
    { pool, instance, notifications, sweep, log }: DueRowsDeps,
    work: DueRowsWork,
    shared: SharedTable,
  ) {
    const { table } = work
    this.#log = log
    this.#work = work
    this.#shared = shared
    this.#leases = new RowLeases(pool, { table, leaseOwner: instance.id })
    shared.loops.add(this)
    const lookNow = () => this.lookIn(0)
    notifications.listen(table.name, { onNotification: lookNow, onGap: lookNow })
    void sweep.add(async () => this.recover(0))
  }

  async stop(timeoutMs: number): Promise<void> {
    this.#isStopping = true
    this.#shared.loops.delete(this)
    const ended = this.#looking
      .then(() => Promise.allSettled(this.#visits))
      .then(() => this.#endLeases(this.#ended.splice(0)))
    await stopGracefully([ended], { timeoutMs, stopping: this.#stopping })
    clearTimeout(this.#timer)
  }

  /** Looks after so long; the earliest look that was asked for counts. */
  lookIn(delayMs: number): void {
    const now = performance.now()
    const soonestAt = this.#lookedAt + LOOK_PAUSE_MS
    const at = Math.max(now + Math.min(delayMs, LOOK_INTERVAL_MS), soonestAt)
    if (at >= this.#looksAt) return
    this.#looksAt = at
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => {
      this.#looking = this.#looking.then(() => this.#look())
    }, at - now)
  }

  /** Looks also for rows whose lease has no visit. */
  recover(delayMs: number): void {
    this.#mayRecover = true
    this.lookIn(delayMs)
  }

  async #look(): Promise<void> {
    this.#looksAt = Number.POSITIVE_INFINITY
    this.#lookedAt = performance.now()
    await this.#endLeases(this.#ended.splice(0))
    const limit = Math.min(TAKEN_MAX, this.#work.concurrency - this.#visits.size)
    // The end of a visit makes room, and looks.
    if (this.#isStopping || limit === 0) return
    const recovers = this.#mayRecover
    this.#mayRecover = false
    try {
      const recover = recovers ? [...this.#shared.visited.keys()] : undefined
      const { taken, nextInMs } = await this.#leases.take({ limit, recover })
      for (const row of taken) this.#begin(row)
      const isFull = taken.length === limit
      if (isFull && recovers) this.recover(0)
      else this.lookIn(isFull ? 0 : (nextInMs ?? LOOK_INTERVAL_MS))
    } catch (error) {
      this.#report(error, 'cannot look for due rows, tried again')
      this.recover(TROUBLE_INTERVAL_MS)
    }
  }

  #begin(row: TakenRow): void {
    this.#shared.visited.set(row.id, row)
    const visiting = this.#visit(row).then((end) => {
      this.#ended.push({ ...row, ...end })
      this.#visits.delete(visiting)
      this.lookIn(0)
    })
    this.#visits.add(visiting)
  }

  async #visit(row: TakenRow): Promise<DueAgain> {
    const { id, failedVisits } = row
    // After a visit that was not made, or was cut off, the row remains due.
    const givenBack = { dueInMs: 0, failedVisits }
    // It may be that the process began to stop while rows were taken.
    if (this.#isStopping) return givenBack
    try {
      const due = await this.#work.visit(row, this.#stopping.signal)
      return typeof due === 'object' ? due : { dueInMs: due, failedVisits: 0 }
    } catch (error) {
      if (this.#stopping.signal.aborted) return givenBack
      this.#report(error, 'visit failed, made again later', { id })
      return dueAfterFailure(row)
    }
  }

  async #endLeases(ended: readonly EndedRow[]): Promise<void> {
    if (ended.length === 0) return
    const { visited, loops } = this.#shared
    try {
      await this.#leases.end(ended)
      for (const { dueInMs = LOOK_INTERVAL_MS } of ended) {
        for (const loop of loops) loop.lookIn(dueInMs)
      }
    } catch (error) {
      // An end that the database does not take holds up no other.
      if (ended.length > 1 && !isDatabaseTrouble(error)) {
        for (const one of ended) await this.#endLeases([one])
        return
      }
      this.#report(error, 'leases of visited rows not ended')
      for (const loop of loops) loop.recover(TROUBLE_INTERVAL_MS)
    }
    // A new lease may have begun before the answer came.
    for (const { id, dueAt } of ended) {
      if (visited.get(id)?.dueAt === dueAt) visited.delete(id)
    }
  }

  #report(error: unknown, message: string, facts: object = {}): void {
    this.#log.error({ err: error, table: this.#work.table.name, ...facts }, message)
  }
}

/** When a row is due again whose visit failed: in a second, after the next failure in two, then ever later. */
export function dueAfterFailure(row: Pick<TakenRow, 'failedVisits'>): DueAgain {
  const failedVisits = row.failedVisits + 1
  return { dueInMs: backoffMs(RETRY, failedVisits), failedVisits }
}
