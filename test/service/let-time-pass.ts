import type { ClientBase, Pool } from 'pg'

const KINDS = ['chat', 'video', 'image', 'sound', 'secret']

/** Lets the requests that were counted so far be older by that much; by less than 0 the clock is set back. */
export async function letTimePass(pool: Pool, ms: number): Promise<void> {
  const older = (window: string) =>
    `${window} = CASE WHEN ${window} IS NOT NULL THEN ROW(
       ARRAY(SELECT instant - $1::int FROM unnest((${window}).instants) AS instant), (${window}).totals)::service.rate_window END`
  const windows = KINDS.map((kind) => older(`${kind}_window`))
  await pool.query(`UPDATE service.account SET ${windows.join(', ')}`, [ms])
  await pool.query(`UPDATE service.api_key SET ${older('chat_window')}`, [ms])
  await pool.query("UPDATE service.task SET polled_at = polled_at - $1::int * interval '1 ms'", [
    ms,
  ])
}

/** Gives every account, also those to come, limits that no test reaches. */
export async function letMinutesFly(sql: Pool | ClientBase): Promise<void> {
  const limits = KINDS.slice(0, 4).map((kind) => `${kind}_max`)
  await sql.query(
    `UPDATE service.account SET ${limits.map((limit) => `${limit} = 60000`).join(', ')}`,
  )
  await sql.query(
    `ALTER TABLE service.account ${limits.map((limit) => `ALTER ${limit} SET DEFAULT 60000`).join(', ')}`,
  )
}
