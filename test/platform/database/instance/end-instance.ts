import type { Pool } from 'pg'
import { removeSql } from '../../../../src/platform/database/instance/instance.ts'

/** Ends a process in the eyes of the others, as they do when it was silent for a whole lease. */
export async function endInstance(pool: Pool, { id }: { id: number }): Promise<void> {
  await pool.query(removeSql('id = $1'), [id])
}
