/**
 * The statements that lease due rows and end the leases.
 *
 * Invariants:
 * - a row is leased by one process at a time, and within the process by one visit: a due row is taken
 *   if its lease is free, in one statement, or if it is our own and no visit of ours runs. That is a
 *   row whose lease could not be ended, or whose taking was not answered;
 * - what ends a lease changes the row only where it still names the owner, and leaves it due where it was
 *   made due during the visit;
 * - the one clock is the database's.
 */
import type { Pool } from 'pg'
import { isFreeSql } from '../database/lease.ts'

/** A table of due rows, and which of them. All of it is SQL written by us: it is not escaped. */
export interface DueTable {
  /** With its schema, such as `service.task`. It is the channel of its notifications, too. */
  name: string
  /** The primary key, an integer. */
  key: string
  /** Narrows the rows down where a table has work of two kinds, such as `state = 'ready'`. */
  where?: string
}

/** A row as it was taken. */
export interface TakenRow {
  id: string
  /** When it was due, to the microsecond. */
  dueAt: string
}

const RETRY_MS_MIN = 1000
const RETRY_MS_MAX = 60_000

/** @param leaseOwner This process. */
export function createRowLeases({
  pool,
  table: { name, key, where = 'true' },
  leaseOwner,
}: {
  pool: Pick<Pool, 'query'>
  table: DueTable
  leaseOwner: number
}) {
  const takeSql = `
    WITH due AS (
      SELECT ${key} AS id FROM ${name}
      WHERE due_at <= now() AND (${where})
        AND (${isFreeSql('lease_owner')} OR lease_owner = $1 AND ${key} <> ALL ($2::bigint[]))
      ORDER BY due_at LIMIT $3 FOR UPDATE SKIP LOCKED
    ), taken AS (
      UPDATE ${name} AS taken SET lease_owner = $1 FROM due WHERE taken.${key} = due.id
      RETURNING taken.${key}, taken.due_at
    )
    SELECT (SELECT coalesce(json_agg(json_build_object('id', ${key}::text, 'dueAt', due_at)), '[]')
            FROM taken) AS taken,
           (SELECT ceil(extract(epoch FROM min(due_at) - now()) * 1000)::float8 FROM ${name}
            WHERE due_at > now() AND (${where})) AS "nextInMs"`
  const isOurs = `${key} = $1 AND lease_owner = $2`
  return { take, end, retry, giveBack }

  /**
   * Leases the rows that have been due longest.
   *
   * @param except Rows that visits of this process run on.
   * @returns `nextInMs`: when the earliest of all others is due; null if there is none.
   */
  async function take({ limit, except }: { limit: number; except: readonly string[] }) {
    const { rows } = await pool.query<{ taken: TakenRow[]; nextInMs: number | null }>(takeSql, [
      leaseOwner,
      except,
      limit,
    ])
    return rows[0] ?? { taken: [], nextInMs: null }
  }

  /**
   * Ends the lease after a visit that went well.
   *
   * @param dueInMs When the row is due again, unless it was made due meanwhile; undefined if there is
   *   nothing more to do. At 0 other processes are told, since the next visit may be of another kind.
   */
  async function end({ id, dueAt }: TakenRow, dueInMs: number | undefined): Promise<void> {
    await pool.query(
      `WITH ended AS (
         UPDATE ${name}
         SET due_at = CASE WHEN due_at = $4 THEN now() + $3::float8 * interval '1 ms' ELSE due_at END,
           failed_visits = 0, lease_owner = NULL
         WHERE ${isOurs} RETURNING due_at <= now() AS "isDue")
       SELECT pg_notify('${name}', '') FROM ended WHERE "isDue"`,
      [id, leaseOwner, dueInMs ?? null, dueAt],
    )
  }

  /**
   * Ends the lease after a visit that failed: the row is due again a second after the first failure,
   * then after twice as long each time, up to a minute.
   *
   * @returns In how many milliseconds.
   */
  async function retry(id: string): Promise<number | undefined> {
    const { rows } = await pool.query<{ dueInMs: number }>(
      `UPDATE ${name} SET failed_visits = failed_visits + 1, lease_owner = NULL,
         due_at = now() + least($3, $4 * 2 ^ least(failed_visits, 10)) * interval '1 ms'
       WHERE ${isOurs}
       RETURNING extract(epoch FROM due_at - now())::float8 * 1000 AS "dueInMs"`,
      [id, leaseOwner, RETRY_MS_MAX, RETRY_MS_MIN],
    )
    return rows[0]?.dueInMs
  }

  /** Ends the lease of a row that was not visited to the end: it is still due. */
  async function giveBack(id: string): Promise<undefined> {
    await pool.query(
      `WITH given AS (UPDATE ${name} SET lease_owner = NULL WHERE ${isOurs} RETURNING 1)
       SELECT pg_notify('${name}', '') FROM given`,
      [id, leaseOwner],
    )
  }
}
