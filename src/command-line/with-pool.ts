import pg from 'pg'
import { joinDatabase } from '../database/embedded/join-database.ts'
import { migrate } from '../database/migrate.ts'

/**
 * Does a command's work on the database, through one connection.
 *
 * @param migrates Whether it brings the database up to date first; without that it may be read-only.
 */
export async function withPool<T>(
  { env, migrates }: { env: NodeJS.ProcessEnv; migrates: boolean },
  work: (pool: pg.Pool) => Promise<T>,
): Promise<T> {
  const { url, stop } = await joinDatabase(env)
  try {
    if (migrates) await migrate(url)
    const pool = new pg.Pool({ connectionString: url, max: 1 })
    try {
      return await work(pool)
    } finally {
      await pool.end()
    }
  } finally {
    await stop()
  }
}
