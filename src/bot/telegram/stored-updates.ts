import type { Update } from 'grammy/types'
import type { Pool } from 'pg'

/** The updates that are not handled yet: stored before Telegram may forget them, deleted once handled. */
export interface StoredUpdates {
  /**
   * Stores a batch.
   *
   * @returns Those that were not stored already, in the same order.
   */
  add(updates: readonly Update[]): Promise<Update[]>
  /** The next ones that were left by the last run, in the order they came. To be read before any are added. */
  readLeft(limit: number): Promise<Update[]>
  /** Forgets a handled update. */
  remove(updateId: number): Promise<void>
}

export function createStoredUpdates(pool: Pool): StoredUpdates {
  const read = new Set<number>()
  return { add, readLeft, remove }

  async function add(updates: readonly Update[]): Promise<Update[]> {
    if (updates.length === 0) return []
    const { rows } = await pool.query<{ id: string }>(
      `INSERT INTO bot.update (id, payload)
       SELECT * FROM unnest($1::bigint[], $2::jsonb[])
       ON CONFLICT DO NOTHING RETURNING id`,
      [updates.map(({ update_id }) => update_id), updates.map(toJson)],
    )
    const added = new Set(rows.map(({ id }) => Number(id)))
    return updates.filter(({ update_id }) => added.has(update_id))
  }

  /** Ids begin anew after a quiet week, so the order is that of their arrival. */
  async function readLeft(limit: number): Promise<Update[]> {
    const { rows } = await pool.query<{ payload: Update }>(
      `SELECT payload FROM bot.update WHERE id <> ALL ($1::bigint[])
       ORDER BY received_at, id LIMIT $2`,
      [[...read], limit],
    )
    const left = rows.map(({ payload }) => payload)
    for (const { update_id } of left) read.add(update_id)
    return left
  }

  async function remove(updateId: number): Promise<void> {
    await pool.query('DELETE FROM bot.update WHERE id = $1', [updateId])
    read.delete(updateId)
  }
}

/** PostgreSQL's JSON has no room for a zero character and for half a surrogate pair. */
function toJson(update: Update): string {
  return JSON.stringify(update, (_key, value: unknown) =>
    typeof value === 'string' ? value.replaceAll('\0', '').toWellFormed() : value,
  )
}
