import type pg from 'pg'

/** The pool, or one connection that is inside a transaction. */
export type Sql = Pick<pg.Pool, 'query'>

/** What a module needs that runs transactions of its own. */
export type Pool = Pick<pg.Pool, 'query' | 'connect'>

/** Runs statements in one transaction: all of them happen, or none. */
export async function inTransaction<T>(pool: Pool, work: (sql: Sql) => Promise<T>): Promise<T> {
  const client = await pool.connect()
  let broken: Error | undefined
  const onError = (error: Error) => {
    broken = error
  }
  // The pool listens only to connections that it has not lent: without a listener one that breaks would end the process.
  client.on('error', onError)
  try {
    await client.query('BEGIN')
    const result = await work(client)
    await client.query('COMMIT')
    return result
  } catch (error) {
    await client.query('ROLLBACK').catch((rollbackError: Error) => {
      // The connection is gone, and PostgreSQL rolls back by itself; the pool must not lend it again.
      broken = rollbackError
    })
    throw error
  } finally {
    client.off('error', onError)
    client.release(broken)
  }
}

const UNIQUE_VIOLATION = '23505'

/** @returns True if a statement was undone because another row has the value that the unique index allows once. */
export function isTaken(error: unknown, index: string): boolean {
  const { code, constraint } = error as { code?: unknown; constraint?: unknown }
  return code === UNIQUE_VIOLATION && constraint === index
}
