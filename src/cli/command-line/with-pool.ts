import type pg from 'pg'
import { openDatabase } from '../../platform/database/database.ts'
import { joinDatabase } from '../../platform/database/embedded/join-database.ts'
import { migrate } from '../../platform/database/migrate.ts'
import { toDatabaseRefusal } from '../../platform/database/server/database-refused.ts'

/**
 * Does a command's work on the database, through one connection.
 *
 * @param migrates True to bring the database up to date first; without that it may be read-only.
 */
export async function withPool<T>(
  { env, migrates }: { env: NodeJS.ProcessEnv; migrates: boolean },
  work: (pool: pg.Pool) => Promise<T>,
): Promise<T> {
  const { url, stop } = await joinDatabase(env)
  try {
    if (migrates) await migrate(url)
    const { pool, close } = openDatabase({ url, use: 'command', connectionsMax: 1 })
    try {
      await connect(pool, url)
      return await work(pool)
    } finally {
      await close()
    }
  } finally {
    await stop()
  }
}

async function connect(pool: pg.Pool, url: string): Promise<void> {
  try {
    const client = await pool.connect()
    client.release()
  } catch (error) {
    throw toDatabaseRefusal(error, url)
  }
}

/** Writes a sentence to standard error, beside what the command prints. */
export function writeToOperator(sentence: string): void {
  process.stderr.write(`${sentence}\n`)
}
