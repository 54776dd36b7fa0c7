import { findDataDir } from '../data-dir.ts'
import { DATABASE_URL_WORDS, DatabaseRefusedError, parseDatabaseUrl } from '../database-refused.ts'
import { findRunningDatabase } from './data-cluster.ts'
import { DataDirInUseError, startEmbeddedDatabase } from './embedded.ts'

/**
 * Finds the database of a command: DATABASE_URL, the embedded server of a running Kopeck, or its own. `stop()` ends only
 * the last.
 *
 * @throws {DatabaseRefusedError} If DATABASE_URL is no URL of PostgreSQL.
 */
export async function joinDatabase(
  env: NodeJS.ProcessEnv,
): Promise<{ url: string; stop(): Promise<void> }> {
  if (env.DATABASE_URL) {
    const url = parseDatabaseUrl(env.DATABASE_URL.trim())
    if (url !== undefined) return { url, stop: async () => {} }
    throw new DatabaseRefusedError(`DATABASE_URL: should be ${DATABASE_URL_WORDS}`)
  }
  const dataDir = findDataDir(env)
  try {
    return await startEmbeddedDatabase({ dataDir })
  } catch (error) {
    const url = error instanceof DataDirInUseError && (await findRunningDatabase(dataDir))
    if (!url) throw error
    return { url, stop: async () => {} }
  }
}
