import type pg from 'pg'
import { openDatabase } from '../../platform/database/database.ts'
import { joinDatabase } from '../../platform/database/embedded/join-database.ts'
import { migrate } from '../../platform/database/migrate.ts'

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
    if (migrates) await migrate(url, { onWait: tellOperator })
    const { pool, close } = openDatabase({ url, use: 'command', connectionsMax: 1 })
    try {
      return await work(pool)
    } finally {
      await close()
    }
  } finally {
    await stop()
  }
}

/** Beside what the command prints. */
export function tellOperator(sentence: string): void {
  process.stderr.write(`${sentence}\n`)
}
