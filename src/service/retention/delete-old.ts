/**
 * The statements that delete rows which were kept long enough, the oldest first and so many rows at a time.
 *
 * Invariants:
 * - nothing that is under way is deleted: no open hold, no attempt of a callback that is being sent, no file
 *   whose link a callback has yet to send;
 * - no entry is touched, so every balance stays the sum of its entries;
 * - the one clock is the database's.
 */
import type { Sql } from '../ledger/sql.ts'

export interface OldRows {
  days: number
  limit: number
}

/** Deletes the attempts of ended callbacks. */
export async function deleteOldAttempts(sql: Sql, { days, limit }: OldRows): Promise<number> {
  const { rowCount } = await sql.query(
    `DELETE FROM service.callback_attempt AS attempt USING (
       SELECT task_id, number
       FROM service.callback_attempt JOIN service.callback AS ended USING (task_id)
       WHERE started_at < now() - $1 * interval '1 day' AND ended.ended_at < now() - $1 * interval '1 day'
       ORDER BY started_at LIMIT $2
     ) AS old WHERE attempt.task_id = old.task_id AND attempt.number = old.number`,
    [days, limit],
  )
  return rowCount ?? 0
}

/** Deletes ended holds. */
export async function deleteOldHolds(sql: Sql, { days, limit }: OldRows): Promise<number> {
  const { rowCount } = await sql.query(
    `DELETE FROM service.hold USING (
       SELECT request_id FROM service.hold WHERE ended_at < now() - $1 * interval '1 day'
       ORDER BY ended_at LIMIT $2
     ) AS old WHERE hold.request_id = old.request_id`,
    [days, limit],
  )
  return rowCount ?? 0
}

/**
 * Removes the files of tasks that have succeeded, and records it. Where it is cut off the next call does it again:
 * a file that is gone already is no trouble.
 */
export async function removeOldMedia(
  sql: Sql,
  { days, limit }: OldRows,
  removeFiles: (names: readonly string[]) => Promise<void>,
): Promise<number> {
  const { rows } = await sql.query<{ id: number; files: string[] }>(
    `SELECT id, files FROM service.task
     WHERE status = 'success' AND media_removed_at IS NULL AND ended_at < now() - $1 * interval '1 day'
       AND NOT EXISTS (SELECT FROM service.callback WHERE task_id = id AND state = 'pending')
     ORDER BY ended_at LIMIT $2`,
    [days, limit],
  )
  await removeFiles(rows.flatMap(({ files }) => files))
  await sql.query('UPDATE service.task SET media_removed_at = now() WHERE id = ANY ($1)', [
    rows.map(({ id }) => id),
  ])
  return rows.length
}
