import { randomInt } from 'node:crypto'
import type pg from 'pg'
import { openSession, type Session } from './session.ts'

/** Namespace of the advisory locks that say which processes live. */
const INSTANCE_LOCKS = 0x6b6f7065

/** Namespaces of the locks that say what work a living process does. */
const WORK_LOCKS = { bot: 0x6b6f7066, service: 0x6b6f7067 } as const
export type Work = keyof typeof WORK_LOCKS

/**
 * A running process, as the database sees it.
 *
 * Rows that a process works on carry its id: open holds, leased tasks and orders. The id counts as
 * alive while a session advisory lock on it is held, so a killed process is known to be dead at
 * once, and no clock of any machine is compared.
 */
export interface Instance {
  id: number
  /** Holds the lock on the id, and may serve for more. */
  session: Session
  /** Closes the session: from here on any process may take over what still carries the id. */
  release(): Promise<void>
}

/**
 * Registers this process with a session of its own, which must not lead through a transaction pooler.
 *
 * @param works What it counts for in `countAlive()`.
 */
export async function registerInstance(
  url: string,
  onError: (error: Error) => void,
  works: Iterable<Work> = [],
): Promise<Instance> {
  const session = await openSession({ url, onError })
  const id = randomInt(1, 2 ** 31)
  const spaces = [INSTANCE_LOCKS, ...Array.from(works, (work) => WORK_LOCKS[work])]
  await session.onConnect(async (client) => {
    // Shared, so that a new connection need not wait until the server has noticed that the last one broke.
    await client.query(
      'SELECT pg_advisory_lock_shared(space, $2) FROM unnest($1::int[]) AS space',
      [spaces, id],
    )
  })
  return { id, session, release: session.close }
}

/**
 * SQL that is true where the process with the id in `column` lives; false for one that is dead.
 *
 * @param column An expression of type integer, written by us: it is not escaped.
 */
export function aliveSql(column: string): string {
  return `EXISTS (
    SELECT 1 FROM pg_locks
    WHERE ${isLockOf(INSTANCE_LOCKS)} AND objid::bigint = ${column})`
}

/** The ids of the processes that live. */
export async function findAlive(pool: Pick<pg.Pool, 'query'>): Promise<number[]> {
  const { rows } = await pool.query<{ id: number }>({
    name: 'instances-alive',
    text: `SELECT DISTINCT objid::int AS id FROM pg_locks WHERE ${isLockOf(INSTANCE_LOCKS)}`,
  })
  return rows.map(({ id }) => id)
}

/** How many processes live that do that work on this database. */
export async function countAlive(pool: Pick<pg.Pool, 'query'>, work: Work): Promise<number> {
  const { rows } = await pool.query<{ count: number }>(
    `SELECT count(DISTINCT objid)::int AS count FROM pg_locks WHERE ${isLockOf(WORK_LOCKS[work])}`,
  )
  return rows[0]?.count ?? 0
}

function isLockOf(space: number): string {
  return `locktype = 'advisory' AND granted AND objsubid = 2
      AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
      AND classid = ${space}`
}
