import pg from 'pg'

/** A lock on a table by which a migration held up others who write there. */
export interface KeptLock {
  table: string
  mode: string
  /** How long it was kept, to some milliseconds. */
  ms: number
}

/** Tables that were there before: no one waits for another. */
const TABLES = `
  SELECT oid::int AS id, oid::regclass::text AS name FROM pg_class
  WHERE relkind = 'r' AND relnamespace::regnamespace::text IN ('bot', 'service')`

/** Locks that keep others from writing to a table, or to the rows of it that a migration changes. */
const KEPT = `
  SELECT relation::int AS id, mode, extract(epoch FROM clock_timestamp())::float8 * 1000 AS "atMs"
  FROM pg_locks JOIN pg_stat_activity USING (pid)
  WHERE application_name = 'kopeck migrate' AND granted AND locktype = 'relation'
    AND mode IN ('RowExclusiveLock', 'ShareLock', 'ShareRowExclusiveLock', 'ExclusiveLock', 'AccessExclusiveLock')`

export type LockMeter = Awaited<ReturnType<typeof createLockMeter>>

/** Measures the locks of migrations on a database, over a connection of its own. */
export async function createLockMeter(url: string) {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const seen = new Map<string, KeptLock & { sinceMs: number }>()
  return { during, kept, close: () => client.end() }

  /** Looks all the while. @returns The locks that the work kept, the longest first. */
  async function during(work: () => Promise<unknown>): Promise<KeptLock[]> {
    seen.clear()
    const { rows } = await client.query<{ id: number; name: string }>(TABLES)
    const names = new Map(rows.map(({ id, name }) => [id, name]))
    let isDone = false
    const working = work().finally(() => {
      isDone = true
    })
    const looking = async () => {
      while (!isDone) await look(names)
    }
    await Promise.all([working, looking()])
    return kept()
  }

  /** @returns The locks that were seen until now, the longest first. */
  function kept(): KeptLock[] {
    const all = [...seen.values()].map(({ table, mode, ms }) => ({ table, mode, ms }))
    return all.sort((one, other) => other.ms - one.ms)
  }

  async function look(names: ReadonlyMap<number, string>): Promise<void> {
    const { rows } = await client.query<{ id: number; mode: string; atMs: number }>(KEPT)
    for (const { id, mode, atMs } of rows) {
      const table = names.get(id)
      if (table === undefined) continue
      const { sinceMs } = seen.get(`${id} ${mode}`) ?? { sinceMs: atMs }
      seen.set(`${id} ${mode}`, { table, mode, sinceMs, ms: Math.round(atMs - sinceMs) })
    }
  }
}
