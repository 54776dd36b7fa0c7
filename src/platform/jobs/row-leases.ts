/**
 * The statements that lease due rows and end the leases, for many rows at once.
 *
 * Invariants:
 * - a row is leased by one process at a time, and within the process by one visit: a due row is taken
 *   if its lease is free, in one statement, or if it is our own and no visit of ours runs. That is a
 *   row whose lease could not be ended, or whose taking was not answered;
 * - rows that another process takes at this moment are passed over, not waited for: so processes share
 *   what is due;
 * - what ends a lease changes the row only while it names the owner, each row of a set by itself,
 *   and leaves it due where it was made due during the visit;
 * - rows whose leases are kept between visits are due when a process may keep them no longer. They are due
 *   sooner where one is made due, which its owner then takes again, and where that owner has ended;
 * - the one clock is the database's. Where it goes back, since another server has become the primary, what was due in
 *   a minute is due in a minute still.
 */
import type { Pool } from 'pg'
import { aliveSql } from '../database/instance/instance-row.ts'
import { isEndedSql, isFreeSql } from '../database/instance/lease.ts'

/** How far the database's clock has to have gone back. Less is waited for. */
const BACK_MS_MIN = 5 * 60_000

/** A table of due rows, and which of them. All of it is SQL written by us: it is not escaped. */
export interface DueTable {
  /** The name with its schema, such as `service.task`. It is the channel of its notifications, too. */
  name: string
  key: string
  /** Narrows the rows down where a table has work of two kinds, such as `state = 'ready'`. */
  where?: string
  /** Values that a visit gets beside the row's id: expressions over the columns of the row, by name. */
  columns?: Readonly<Record<string, string>>
}

/** A row as it was taken. */
export interface TakenRow {
  id: string
  /** When it was due, or is where nothing is heard of its owner, to the microsecond. */
  dueAt: string
  failedVisits: number
  /** It had a lease already: a visit before this one did not end, or its end could not be stored, or it was kept. */
  isTakenOver: boolean
}

/** How a visit leaves its row. */
export interface LeaseEnd extends Pick<TakenRow, 'id' | 'dueAt'> {
  /**
   * Milliseconds until the row is due again, unless it was made due meanwhile; undefined if there is
   * nothing more to do. Other processes are notified of what is due at once: the next visit may be of another kind.
   */
  dueInMs: number | undefined
  failedVisits: number
}

/** @param keepMs For how long it may keep a lease between visits. */
export function createRowLeases<Columns extends object = object>({
  pool,
  table: { name, key, where = 'true', columns = {} },
  leaseOwner,
  keepMs = 0,
}: {
  pool: Pick<Pool, 'query'>
  table: DueTable
  leaseOwner: number
  keepMs?: number
}) {
  const columnsSql = Object.entries(columns).map(([as, sql]) => `, ${sql} AS "${as}"`)
  // Rows that are kept are no part of what is due: a look does not pass them by, one after the other.
  const keptSql = keepMs > 0 ? `, due_at = now() + ${keepMs} * interval '1 ms'` : ''
  const takeSql = `
    WITH due AS (
      SELECT ${key} AS due_key, lease_owner AS former_lease_owner FROM ${name}
      WHERE due_at <= now() AND (${where}) AND ${aliveSql('$1')}
        AND (${isFreeSql('lease_owner')} OR lease_owner = $1 AND ${key} <> ALL ($2::bigint[]))
      ORDER BY due_at LIMIT $3 FOR UPDATE SKIP LOCKED
    ), taken AS (
      UPDATE ${name} SET lease_owner = $1${keptSql} FROM due WHERE ${key} = due_key
      RETURNING ${key}::text AS id, due_at AS "dueAt", failed_visits AS "failedVisits",
        former_lease_owner IS NOT NULL AS "isTakenOver"${columnsSql.join('')}
    )
    SELECT (SELECT coalesce(json_agg(taken), '[]') FROM taken) AS taken,
           (SELECT ceil(extract(epoch FROM min(due_at) - now()) * 1000)::float8 FROM ${name}
            WHERE due_at > now() AND (${where})) AS "nextInMs",
           EXISTS (SELECT FROM ${name}
            WHERE due_at <= now() AND (${where}) AND lease_owner <> $1) AS "isShared",
           (extract(epoch FROM now()) * 1000)::float8 AS "nowMs"`
  const endSql = `
    WITH ended AS (
      UPDATE ${name} SET lease_owner = NULL, failed_visits = visit.failed_visits,
        due_at = CASE WHEN due_at = visit.was_due_at THEN now() + visit.due_in_ms * interval '1 ms'
                 ELSE due_at END
      FROM unnest($2::bigint[], $3::timestamptz[], $4::float8[], $5::int[])
        AS visit (id, was_due_at, due_in_ms, failed_visits)
      WHERE ${name}.${key} = visit.id AND lease_owner = $1
      RETURNING due_at <= now() AS is_due
    )
    SELECT pg_notify('${name}', '') FROM ended WHERE is_due LIMIT 1`
  const freeSql = `
    UPDATE ${name} SET due_at = now()
    WHERE due_at > now() AND (${where}) AND (${isEndedSql('lease_owner')}
      OR lease_owner = $1 AND ${key} NOT IN (SELECT unnest($2::bigint[])))`
  // What is due by the clock of now is due sooner than what was by that of before. The first process to notice does it.
  const bringForwardSql = `
    UPDATE ${name} SET due_at = due_at - $1::float8 * interval '1 ms'
    WHERE due_at > now() + $1::float8 / 2 * interval '1 ms' AND (${where})`
  let last: { nowMs: number; atMs: number } | undefined
  return { take, end, free }

  /**
   * Leases the rows that have been due longest. A process that has ended in the eyes of the others gets none.
   *
   * @param except Rows that visits of this process run on.
   * @returns `nextInMs`: when the earliest of all others is due; null if there is none. `isShared`: whether
   *   other processes visit rows that are due.
   */
  async function take({ limit, except }: { limit: number; except: readonly string[] }) {
    const atMs = performance.now()
    const { rows } = await pool.query<{
      taken: (TakenRow & Columns)[]
      nextInMs: number | null
      isShared: boolean
      nowMs: number
    }>(takeSql, [leaseOwner, except, limit])
    const { nowMs = 0, ...found } = rows[0] ?? { taken: [], nextInMs: null, isShared: false }
    const backMs = last === undefined ? 0 : last.nowMs + (atMs - last.atMs) - nowMs
    if (backMs < BACK_MS_MIN) {
      last = { nowMs, atMs }
      return found
    }
    await pool.query(bringForwardSql, [backMs])
    last = { nowMs, atMs }
    return { ...found, nextInMs: 0 }
  }

  /**
   * Makes due what was kept by processes that have ended, and what this one took or ended without an answer.
   * Safe to repeat.
   *
   * @param except Rows that this process visits or keeps.
   */
  async function free({ except }: { except: readonly string[] }): Promise<void> {
    await pool.query(freeSql, [leaseOwner, except])
  }

  /** Ends the leases of rows after their visits. All of them or, where it throws, none. */
  async function end(ends: readonly LeaseEnd[]): Promise<void> {
    await pool.query(endSql, [
      leaseOwner,
      ends.map(({ id }) => id),
      ends.map(({ dueAt }) => dueAt),
      ends.map(({ dueInMs }) => dueInMs ?? null),
      ends.map(({ failedVisits }) => failedVisits),
    ])
  }
}
