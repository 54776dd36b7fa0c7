import pg from 'pg'
import { onTestFinished } from 'vitest'
import { startEmbeddedDatabase } from '../../src/platform/database/embedded.ts'
import { migrate } from '../../src/platform/database/migrate.ts'

/** Starts an embedded server in a data folder, brought up to date, and connects to it. */
export async function openDataDir(dataDir: string) {
  const { url, stop } = await startEmbeddedDatabase({ dataDir })
  onTestFinished(() => stop(0))
  const applied = await migrate(url)
  const pool = new pg.Pool({ connectionString: url, max: 10 })
  // A connection of a pool that ended may hear that its server ends, too.
  pool.on('error', () => {})
  const close = async () => {
    await pool.end()
    await stop()
  }
  return { url, pool, applied, close }
}
