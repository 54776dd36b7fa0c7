// One loop looks, visits and gives back, and its timers and flags belong together, so that this file is long. Leases,
// kept leases and their ends, which have rules of their own, are beside it.

import type { Pool } from 'pg'
import type { Instance } from '../database/instance/instance.ts'
import type { Notifications } from '../database/instance/notifications.ts'
import type { Sweep } from '../database/instance/sweep.ts'
import type { TroubleLog } from '../fold-repeats.ts'
import { backoffMs } from '../time/backoff.ts'
import { stopGracefully } from '../time/graceful-stop.ts'
import { createKeptLeases, type HeldLease } from './kept-leases.ts'
import { createLeaseEnds } from './lease-ends.ts'
import { createRowLeases, type DueTable, type LeaseEnd, type TakenRow } from './row-leases.ts'

/** The interval while another process visits rows: it may run out of room, and notifies of no row that is due later. */
const SHARED_INTERVAL_MS = 5_000
/** The interval otherwise: notifications report all that is due, and the sweep what ended processes had. */
const IDLE_INTERVAL_MS = 60_000
const TROUBLE_INTERVAL_MS = 1000

const RETRY = { firstMs: 1_000, maxMs: 60_000 }

/** A visit's answer that says more than when the row is due again. */
export interface DueAgain extends Pick<LeaseEnd, 'dueInMs' | 'failedVisits'> {
  /** True if the row's columns have not changed: its lease may be kept until the next visit. Default false. */
  mayBeKept?: boolean
}

/** A row at a visit. */
export interface VisitedRow extends TakenRow {
  /** How long this process has had its lease: the row's columns were read so long ago. */
  heldForMs: number
}

/**
 * Looks at one row and does what is due. This process has the row's lease meanwhile, but may lose it
 * when it is taken for dead: what a visit writes names the lease owner.
 *
 * @param row With what the table's `columns` say.
 * @param signal Aborted when the process cannot wait for the visit any longer.
 * @returns In how many milliseconds the row is due again; undefined when there is nothing more to do.
 * @throws Anything: the row is due again in 1 s, then ever later, up to 60 s.
 */
export type Visit<Columns extends object = object> = (
  row: VisitedRow & Columns,
  signal: AbortSignal,
) => Promise<number | DueAgain | undefined>

/** One kind of work on the rows of a table. */
export interface DueRowsWork<Columns extends object = object> {
  table: DueTable
  concurrency: number
  /**
   * How long what is due, and the ends of visits, may wait for more of the same: one statement then serves
   * all of it. Default 0: nothing waits.
   */
  gatherMs?: number
  /**
   * How long a process may keep the lease of a row whose visits say so, and visit it again by itself: a row
   * that is often visited without news costs the database little. Another process has no part in such a row until
   * then, nor does this one know of a change that made it not due. Default 0: a lease ends with its visit.
   */
  keepMs?: number
  visit: Visit<Columns>
}

export interface Worker {
  /**
   * Takes no more rows and lets the visits that run end for `timeoutMs`, then cuts them off. What was
   * cut off is due at once, for other processes or the next start.
   */
  stop(timeoutMs: number): Promise<void>
}

/**
 * Durable work: rows that carry their own schedule.
 *
 * A table of such rows has three columns, and a partial index on the first:
 * - `due_at timestamptz`: when the row is to be visited; null when nothing is left to do;
 * - `failed_visits int NOT NULL DEFAULT 0`: how many visits in a row threw;
 * - `lease_owner int`: the process that visits it now (src/platform/database/instance/lease.ts).
 *
 * The statement that inserts a row with `due_at` schedules it, in its own transaction, and notifies the
 * processes by `pg_notify('schema.table', '')`; so does one that makes a row due sooner, which counts
 * also where it is visited just then. The statement that ends a row sets `due_at` to null. A visit sees to
 * everything in between, and finds by the row itself what is to be done: it may come late, and again
 * after a crash.
 *
 * The file is longer than others: the looks and the visits of one kind of work share its few variables.
 */
export interface DueRows {
  work<Columns extends object>(work: DueRowsWork<Columns>): Worker
}

interface SharedTable {
  visited: Map<string, Promise<void>>
  looking: Promise<void>
  lookIns: Set<(delayMs: number) => void>
}

export interface DueRowsDeps {
  pool: Pick<Pool, 'query'>
  /** This process. It has one `DueRows`, which alone leases rows of their tables. */
  instance: Pick<Instance, 'id'>
  notifications: Pick<Notifications, 'listen'>
  sweep: Pick<Sweep, 'add'>
  log: Pick<TroubleLog, 'error'>
}

export function createDueRows({ pool, instance, notifications, sweep, log }: DueRowsDeps): DueRows {
  /**
   * The tables by name, since a row may turn from one kind of work to another during its visit. A row may be visited
   * again before the visit before it has heard that its lease has ended.
   */
  const tables = new Map<string, SharedTable>()
  return { work }

  function work<Columns extends object>(work: DueRowsWork<Columns>): Worker {
    const { table, concurrency, gatherMs = 0, keepMs = 0, visit } = work
    const leases = createRowLeases<Columns>({ pool, table, leaseOwner: instance.id, keepMs })
    const ends = createLeaseEnds({ store: leases.end, gatherMs })
    const kept = createKeptLeases<TakenRow & Columns>({ onDue })
    const waiting = new Set<HeldLease<TakenRow & Columns>>()
    let newest: HeldLease<TakenRow & Columns> | undefined
    const shared = tables.get(table.name) ?? {
      visited: new Map(),
      looking: Promise.resolve(),
      lookIns: new Set(),
    }
    tables.set(table.name, shared)
    shared.lookIns.add(lookIn)
    const visits = new Set<Promise<void>>()
    const stopping = new AbortController()
    let running = 0
    let isStopping = false
    let timer: NodeJS.Timeout | undefined
    let lookedAt = Number.NEGATIVE_INFINITY
    let looksAt = Number.POSITIVE_INFINITY
    let isPutOff = false
    let mayHaveLeft = false
    let notifiedAt = Number.NEGATIVE_INFINITY
    const lookNow = () => lookIn(0)
    notifications.listen(table.name, { onNotification: lookAtNews, onGap: lookAtNews })
    void sweep.add(lookForLeft)
    return { stop }

    async function stop(timeoutMs: number): Promise<void> {
      isStopping = true
      shared.lookIns.delete(lookIn)
      clearTimeout(timer)
      for (const { held, dueInMs } of kept.removeAll()) giveBack(held, dueInMs)
      const ended = shared.looking.then(() => Promise.allSettled(visits))
      await stopGracefully([ended], { timeoutMs, stopping })
    }

    /** Looks for due rows after so long; the earliest look that was asked for counts. */
    function lookIn(delayMs: number): void {
      const now = performance.now()
      const at = Math.max(now + delayMs, lookedAt + gatherMs)
      if (isStopping || at >= looksAt) return
      looksAt = at
      clearTimeout(timer)
      timer = setTimeout(() => {
        shared.looking = shared.looking.then(look)
      }, at - now)
    }

    function lookAtNews(): void {
      notifiedAt = performance.now()
      lookNow()
    }

    async function lookForLeft(): Promise<void> {
      mayHaveLeft = keepMs > 0
      lookNow()
    }

    async function look(): Promise<void> {
      looksAt = Number.POSITIVE_INFINITY
      lookedAt = performance.now()
      const limit = findRoom()
      isPutOff = limit === 0
      if (isStopping || isPutOff) return
      try {
        const visited = [...shared.visited.keys()]
        if (mayHaveLeft) {
          mayHaveLeft = false
          await leases.free({ except: [...visited, ...kept.ids()] })
        }
        const takenAt = performance.now()
        const { taken, nextInMs, isShared } = await leases.take({ limit, except: visited })
        for (const row of taken) {
          kept.remove(row.id)
          newest = { row, takenAt }
          kept.add(newest, 0)
        }
        beginWaiting()
        const intervalMs = isShared ? SHARED_INTERVAL_MS : IDLE_INTERVAL_MS
        lookIn(taken.length === limit ? 0 : Math.min(nextInMs ?? Infinity, intervalMs))
      } catch (error) {
        log.error({ err: error, table: table.name }, 'cannot look for due rows, tried again')
        // What had no answer may have been done: rows may be leased that are not visited.
        mayHaveLeft = keepMs > 0
        lookIn(TROUBLE_INTERVAL_MS)
      }
    }

    /**
     * While visits of kept rows wait for room, what is due in the table comes to wait behind them, one set after
     * the other: neither keeps the other from being visited.
     */
    function findRoom(): number {
      if (waiting.size === 0) return concurrency - running
      return newest !== undefined && waiting.has(newest) ? 0 : concurrency
    }

    /** Between two looks: one that is under way may take the very row, made due meanwhile. */
    function onDue(held: HeldLease<TakenRow & Columns>): void {
      waiting.add(held)
      shared.looking = shared.looking.then(beginWaiting)
    }

    function beginWaiting(): void {
      for (const held of waiting) {
        if (running === concurrency && !isStopping) break
        waiting.delete(held)
        if (!kept.has(held)) continue
        kept.remove(held.row.id)
        track(held, visitLeased(held))
      }
      if (isPutOff && findRoom() > 0) lookNow()
    }

    function giveBack(held: HeldLease<TakenRow & Columns>, dueInMs: number): void {
      track(held, endLease(held, { dueInMs, failedVisits: held.row.failedVisits }))
    }

    function track({ row: { id } }: HeldLease, work: Promise<void>): void {
      const visiting = work.then(() => {
        visits.delete(visiting)
        if (shared.visited.get(id) === visiting) shared.visited.delete(id)
      })
      visits.add(visiting)
      shared.visited.set(id, visiting)
    }

    async function visitLeased(held: HeldLease<TakenRow & Columns>): Promise<void> {
      running += 1
      const beganAt = performance.now()
      const end = await visitToEnd(held)
      running -= 1
      if (waiting.size > 0 || isPutOff) shared.looking = shared.looking.then(beginWaiting)
      const { dueInMs = Infinity, mayBeKept = false } = end
      const keptForMs = held.takenAt + keepMs - performance.now()
      if (!mayBeKept || isStopping || dueInMs >= keptForMs) return await endLease(held, end)
      kept.add(held, dueInMs)
      // It may be this row that was made due: a look passes by what is visited.
      if (notifiedAt >= beganAt) lookNow()
    }

    async function endLease(
      { row: { id, dueAt } }: HeldLease<TakenRow>,
      { dueInMs, failedVisits }: DueAgain,
    ): Promise<void> {
      let lookInMs = dueInMs
      try {
        await ends.add({ id, dueAt, dueInMs, failedVisits })
      } catch (error) {
        // It is taken again at the next look.
        log.error({ err: error, table: table.name, id }, 'lease of a visited row not ended')
        mayHaveLeft = keepMs > 0
        lookInMs = TROUBLE_INTERVAL_MS
      }
      if (lookInMs === undefined) return
      for (const look of shared.lookIns) look(Math.min(lookInMs, IDLE_INTERVAL_MS))
    }

    async function visitToEnd({ row, takenAt }: HeldLease<TakenRow & Columns>): Promise<DueAgain> {
      // After a visit that was not made, or was cut off, the row remains due.
      const givenBack = { dueInMs: 0, failedVisits: row.failedVisits }
      // It may be that the process began to stop while rows were taken.
      if (isStopping) return givenBack
      try {
        const heldForMs = performance.now() - takenAt
        const due = await visit({ ...row, heldForMs }, stopping.signal)
        return typeof due === 'object' ? due : { dueInMs: due, failedVisits: 0 }
      } catch (error) {
        if (stopping.signal.aborted) return givenBack
        log.error({ err: error, table: table.name, id: row.id }, 'visit failed, made again later')
        return dueAfterFailure(row)
      }
    }
  }
}

/** When a row is due again whose visit failed: in a second, after the next failure in two, then ever later. */
export function dueAfterFailure(row: Pick<TakenRow, 'failedVisits'>): DueAgain {
  const failedVisits = row.failedVisits + 1
  return { dueInMs: backoffMs(RETRY, failedVisits), failedVisits }
}
