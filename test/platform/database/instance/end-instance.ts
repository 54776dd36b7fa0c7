import type { Pool } from 'pg'
import { removeInstanceRow } from '../../../../src/platform/database/instance/instance-row.ts'

/** Ends a process in the eyes of the others, as they do when it was silent for a whole lease. */
export async function endInstance(pool: Pool, { id }: { id: number }): Promise<void> {
  const query = async (sql: string, values?: unknown[]) => (await pool.query(sql, values)).rows
  await removeInstanceRow({ query }, id)
}
