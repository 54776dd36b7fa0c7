import { randomInt } from 'node:crypto'
import pg from 'pg'

/** Namespace of the advisory locks that say which processes live. */
const INSTANCE_LOCKS = 0x6b6f7065

/** Namespaces of the locks that say what work a living process does. */
const WORK_LOCKS = { bot: 0x6b6f7066, service: 0x6b6f7067 } as const
export type Work = keyof typeof WORK_LOCKS

/** Longest wait before a connection that broke is tried again. */
const RECONNECT_INTERVAL_MS = 1000

/**
 * For a session that holds a lock. A machine that lost its power says nothing: without these the
 * server would believe it alive for hours.
 */
export const NOTICE_DEATH_SQL =
  'SET tcp_keepalives_idle = 5; SET tcp_keepalives_interval = 5; SET tcp_keepalives_count = 2'

/**
 * A running process, as the database sees it.
 *
 * Rows that a process works on carry its id: open holds, leased tasks and orders. The id counts as
 * alive while a session advisory lock on it is held, so a killed process is known to be dead at
 * once, and no clock of any machine is compared.
 */
export interface Instance {
  id: number
  /** Gives the lock back: from here on whatever still carries the id is anybody's. */
  release(): Promise<void>
}

/**
 * Registers this process with a connection of its own, which must not go through a transaction pooler.
 *
 * @param works What it counts for in `countAlive()`.
 */
export async function registerInstance(
  url: string,
  onError: (error: Error) => void,
  works: Iterable<Work> = [],
): Promise<Instance> {
  const id = randomInt(1, 2 ** 31)
  let released = false
  let client: pg.Client
  await connect()
  return {
    id,
    async release() {
      released = true
      await client.end()
    },
  }

  async function connect(): Promise<void> {
    // Known to `release()` from the start: it may wait long for the lock.
    client = new pg.Client({ connectionString: url, keepAlive: true })
    const broken = new Promise<Error>((resolve) => client.on('error', resolve))
    await client.connect()
    await client.query(NOTICE_DEATH_SQL)
    const spaces = [INSTANCE_LOCKS, ...Array.from(works, (work) => WORK_LOCKS[work])]
    await client.query('SELECT pg_advisory_lock(space, $2) FROM unnest($1::int[]) AS space', [
      spaces,
      id,
    ])
    // What breaks before is thrown to whoever connects, who goes on trying.
    void broken.then(reconnect)
  }

  async function reconnect(reason: Error): Promise<void> {
    if (!released) onError(reason)
    while (!released) {
      try {
        return await connect()
      } catch (error) {
        if (released) return
        onError(error as Error)
        // A session that lives on could keep the next one waiting for its locks.
        void client.end().catch(() => {})
        await new Promise((done) => setTimeout(done, RECONNECT_INTERVAL_MS).unref())
      }
    }
  }
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

/** How many processes live that do that work on this database. */
export async function countAlive(pool: Pick<pg.Pool, 'query'>, work: Work): Promise<number> {
  const { rows } = await pool.query<{ count: number }>(
    `SELECT count(*)::int AS count FROM pg_locks WHERE ${isLockOf(WORK_LOCKS[work])}`,
  )
  return rows[0]?.count ?? 0
}

function isLockOf(space: number): string {
  return `locktype = 'advisory' AND granted AND objsubid = 2
      AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
      AND classid = ${space}`
}
