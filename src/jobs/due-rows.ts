import type { Pool } from 'pg'
import type { Instance } from '../database/instance.ts'
import type { Notifications } from '../database/notifications.ts'
import type { TroubleLog } from '../fold-repeats.ts'
import { stopGracefully } from '../time/graceful-stop.ts'
import { createRowLeases, type DueTable, type TakenRow } from './row-leases.ts'

/** Finds what no notification told of: rows of an ended process, or of one that has no room for them. */
const LOOK_INTERVAL_MS = 5000
/** After the database did not answer. */
const TROUBLE_INTERVAL_MS = 1000

/**
 * Looks at one row and does what is due. This process has the row's lease meanwhile, but may lose it
 * when it is taken for dead: what a visit writes names the lease owner.
 *
 * @param signal Aborted when the process cannot wait for the visit any longer.
 * @returns In how many milliseconds the row is due again; undefined when there is nothing more to do.
 * @throws Anything: the row is due again in 1 s, then ever later, up to 60 s.
 */
export type Visit = (id: string, signal: AbortSignal) => Promise<number | undefined>

/** One kind of work on the rows of a table. */
export interface DueRowsWork {
  table: DueTable
  /** Rows that are visited at once in a process. A slow visit holds up no other below that. */
  concurrency: number
  visit: Visit
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
 * - `lease_owner int`: the process that visits it now (src/database/lease.ts).
 *
 * The statement that inserts a row with `due_at` schedules it, in its own transaction, and tells the
 * processes by `pg_notify('schema.table', '')`; so does one that makes a row due sooner, which counts
 * also where it is visited just then. The statement that ends a row sets `due_at` to null. A visit sees to everything in between, and finds by the row
 * itself what is to be done: it may come late, and again after a crash.
 */
export interface DueRows {
  /** Begins to visit rows as they become due, those first that an ended process had leased. */
  work(work: DueRowsWork): Worker
}

export interface DueRowsDeps {
  pool: Pick<Pool, 'query'>
  /** This process. It has one `DueRows`, which alone leases rows of their tables. */
  instance: Pick<Instance, 'id'>
  notifications: Pick<Notifications, 'listen'>
  log: Pick<TroubleLog, 'error'>
}

export function createDueRows({ pool, instance, notifications, log }: DueRowsDeps): DueRows {
  /**
   * By table, since a row may turn from one kind of work to another during its visit: which rows are
   * visited, and the last look, after which the next begins and knows of its rows. A row may be visited
   * again before the visit before it has heard that its lease has ended.
   */
  const tables = new Map<string, { visited: Map<string, Promise<void>>; looking: Promise<void> }>()
  return { work }

  function work({ table, concurrency, visit }: DueRowsWork): Worker {
    const leases = createRowLeases({ pool, table, leaseOwner: instance.id })
    const shared = tables.get(table.name) ?? { visited: new Map(), looking: Promise.resolve() }
    tables.set(table.name, shared)
    const visits = new Set<Promise<void>>()
    const stopping = new AbortController()
    let isStopping = false
    let timer: NodeJS.Timeout | undefined
    let looksAt = Number.POSITIVE_INFINITY
    const lookNow = () => lookIn(0)
    notifications.listen(table.name, { onNotification: lookNow, onGap: lookNow })
    lookNow()
    return { stop }

    async function stop(timeoutMs: number): Promise<void> {
      isStopping = true
      clearTimeout(timer)
      const ended = shared.looking.then(() => Promise.allSettled(visits))
      await stopGracefully([ended], { timeoutMs, stopping })
    }

    /** Looks for due rows after so long; the earliest look that was asked for counts. */
    function lookIn(delayMs: number): void {
      const at = performance.now() + delayMs
      if (isStopping || at >= looksAt) return
      looksAt = at
      clearTimeout(timer)
      timer = setTimeout(() => {
        shared.looking = shared.looking.then(look)
      }, delayMs)
    }

    async function look(): Promise<void> {
      looksAt = Number.POSITIVE_INFINITY
      const limit = concurrency - visits.size
      // Each visit looks for the next row when it ends.
      if (isStopping || limit === 0) return
      try {
        const { taken, nextInMs } = await leases.take({ limit, except: [...shared.visited.keys()] })
        for (const row of taken) begin(row)
        lookIn(taken.length === limit ? 0 : Math.min(nextInMs ?? Infinity, LOOK_INTERVAL_MS))
      } catch (error) {
        log.error({ err: error, table: table.name }, 'cannot look for due rows, tried again')
        lookIn(TROUBLE_INTERVAL_MS)
      }
    }

    function begin(row: TakenRow): void {
      const { id } = row
      const visit = visitLeased(row)
        .catch((error: unknown) => {
          // It is taken again at the next look.
          log.error({ err: error, table: table.name, id }, 'lease of a visited row not ended')
          return TROUBLE_INTERVAL_MS
        })
        .then((dueInMs) => {
          const wasFull = visits.size === concurrency
          visits.delete(visit)
          if (shared.visited.get(id) === visit) shared.visited.delete(id)
          lookIn(wasFull ? 0 : (dueInMs ?? LOOK_INTERVAL_MS))
        })
      visits.add(visit)
      shared.visited.set(id, visit)
    }

    /** @returns In how many milliseconds the row is due again, its lease ended. */
    async function visitLeased(row: TakenRow): Promise<number | undefined> {
      const { id } = row
      let dueInMs: number | undefined
      try {
        // It may be that the process began to stop while rows were taken.
        if (isStopping) return await leases.giveBack(id)
        dueInMs = await visit(id, stopping.signal)
      } catch (error) {
        if (stopping.signal.aborted) return await leases.giveBack(id)
        log.error({ err: error, table: table.name, id }, 'visit failed, the row is visited again')
        return await leases.retry(id)
      }
      await leases.end(row, dueInMs)
      return dueInMs
    }
  }
}
