import pg from 'pg'
import { systemClock } from '../../time/clock.ts'
import { connectionOptions } from '../database.ts'

/** The SQLSTATE of a lock that was waited for as long as `lock_timeout` says. */
const LOCK_NOT_AVAILABLE = '55P03'

const BLOCKERS = `
  SELECT blocker.pid, application_name AS name, state,
    to_char(coalesce(xact_start, state_change, backend_start) AT TIME ZONE 'UTC',
      'YYYY-MM-DD HH24:MI:SS "UTC"') AS since
  FROM unnest(pg_blocking_pids($1)) AS blocker (pid) LEFT JOIN pg_stat_activity USING (pid)
  ORDER BY blocker.pid`

interface Blocker {
  pid: number
  /** These three are null where the user of the database may not know. */
  name: string | null
  state: string | null
  since: string | null
}

export interface LockWatchOptions {
  url: string
  /** The connection that may wait. */
  client: Pick<pg.Client, 'query'>
  /** How long the connection waits before `onBlocked` is called, and between two looks. */
  reportAfterMs: number
  /** Called with who has what the connection waits for: first after `reportAfterMs`, then whenever that changes. */
  onBlocked: (blockers: string) => void
}

export type LockWatch = Awaited<ReturnType<typeof createLockWatch>>

/** Finds the owners of the locks that a connection waits for, over a connection of its own. */
export async function createLockWatch({ url, client, reportAfterMs, onBlocked }: LockWatchOptions) {
  const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')
  const pid = rows[0]?.pid
  let blockers: string | undefined
  return { during, blockers: () => blockers ?? 'another session' }

  /** Watches as long as the work on the connection goes on. */
  async function during<T>(work: () => Promise<T>): Promise<T> {
    const over = new AbortController()
    // Without a connection to look over, the work goes on waiting: its bound is the server's.
    const watching = watch(over.signal).catch(() => {})
    try {
      return await work()
    } finally {
      over.abort()
      await watching
    }
  }

  async function watch(signal: AbortSignal): Promise<void> {
    await systemClock.sleep(reportAfterMs, signal)
    const observer = new pg.Client(connectionOptions(url, 'watch'))
    observer.on('error', () => {})
    try {
      await observer.connect()
      for (; !signal.aborted; await systemClock.sleep(reportAfterMs, signal)) {
        const found = await observer.query<Blocker>(BLOCKERS, [pid])
        if (found.rows.length > 0) report(found.rows.map(describe).join(', '))
      }
    } finally {
      await observer.end()
    }
  }

  function report(found: string): void {
    if (found === blockers) return
    blockers = found
    onBlocked(found)
  }
}

/** Checks whether a statement gave up waiting for a lock. */
export function isLockTimeout(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === LOCK_NOT_AVAILABLE
}

function describe({ pid, name, state, since }: Blocker): string {
  if (state === null || since === null) return `session ${pid}`
  return `session ${pid} ("${name}", ${state} since ${since})`
}
