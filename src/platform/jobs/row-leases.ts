/**
 * The statements that lease due rows and end the leases, for many rows at once.
 *
 * Invariants:
 * - one process at a time has a row's lease. Rows that another process takes at this moment are passed over, so that
 *   processes share what is due;
 * - the end of a lease changes the row only while it names this process, and leaves it due if it was made due during
 *   the visit;
 * - the one clock is the database's. Where it goes back, since another server has become the primary, what was due in
 *   a minute is due in a minute still.
 */
import type { Pool } from 'pg'
import { aliveSql, isEndedSql, isFreeSql } from '../database/instance/instance-row.ts'

/** How far the database's clock has to have gone back. Less is waited for. */
const BACK_MS_MIN = 5 * 60_000

/** A table of due rows, and which of them. All of it is SQL written by us: it is not escaped. */
export interface DueTable {
  /** The name with its schema, such as `service.task`. It is the channel of its notifications, too. */
  name: string
  key: string
  /** Narrows the rows down where a table has work of two kinds, such as `kind = 'turns'`. */
  where?: string
}

/** A row as it was taken. */
export interface TakenRow {
  id: string
  /** Its `due_at` during the visit, to the microsecond. */
  dueAt: string
  failedVisits: number
}

/** How a visit leaves its row. */
export interface DueAgain {
  /** Milliseconds until the row is due again, unless it was made due meanwhile; undefined if nothing is left to do. */
  dueInMs: number | undefined
  failedVisits: number
}

/** A row and how its visit has left it. */
export type EndedRow = Pick<TakenRow, 'id' | 'dueAt'> & DueAgain

interface Taken {
  taken: TakenRow[]
  /** When the earliest of all other rows is due; null if there is none. */
  nextInMs: number | null
}

/** The leases of one process on the rows of a table. */
export class RowLeases {
  readonly #pool: Pick<Pool, 'query'>
  readonly #leaseOwner: number
  readonly #sql: ReturnType<typeof writeSql>
  #last: { nowMs: number; atMs: number } | undefined

  constructor(
    pool: Pick<Pool, 'query'>,
    { table, leaseOwner }: { table: DueTable; leaseOwner: number },
  ) {
    this.#pool = pool
    this.#leaseOwner = leaseOwner
    this.#sql = writeSql(table)
  }

  /**
   * Leases the rows that have been due longest. A process that has ended in the eyes of the others gets none.
   *
   * @param recover The rows that this process visits; given if it may have leases without a visit, which are then
   *   taken, too: of rows whose taking, or whose end, had no answer.
   */
  async take({ limit, recover }: { limit: number; recover?: readonly string[] | undefined }) {
    if (recover !== undefined) await this.#pool.query(this.#sql.recall, [this.#leaseOwner, recover])
    const atMs = performance.now()
    const { rows } = await this.#pool.query<Taken & { nowMs: number }>(this.#sql.take, [
      this.#leaseOwner,
      recover,
      limit,
    ])
    const { nowMs, taken, nextInMs } = rows[0] ?? { nowMs: 0, taken: [], nextInMs: null }
    const backMs = this.#last === undefined ? 0 : this.#last.nowMs + atMs - this.#last.atMs - nowMs
    const isBack = backMs >= BACK_MS_MIN
    if (isBack) await this.#pool.query(this.#sql.bringForward, [backMs])
    this.#last = { nowMs, atMs }
    return { taken, nextInMs: isBack ? 0 : nextInMs }
  }

  /** Ends the leases of rows after their visits: all of them or, where it throws, none. */
  async end(ended: readonly EndedRow[]): Promise<void> {
    await this.#pool.query(this.#sql.end, [
      this.#leaseOwner,
      ended.map(({ id }) => id),
      ended.map(({ dueAt }) => dueAt),
      ended.map(({ dueInMs }) => dueInMs ?? null),
      ended.map(({ failedVisits }) => failedVisits),
    ])
  }
}

function writeSql({ name, key, where = 'true' }: DueTable) {
  const isOursSql = `lease_owner = $1 AND ${key} <> ALL ($2::bigint[])`
  return {
    take: `
      WITH due AS (
        SELECT ${key} AS due_key FROM ${name}
        WHERE due_at <= now() AND (${where}) AND ${aliveSql('$1')}
          AND (${isFreeSql('lease_owner')} OR ${isOursSql})
        ORDER BY due_at LIMIT $3 FOR UPDATE SKIP LOCKED
      ), taken AS (
        UPDATE ${name} SET lease_owner = $1 FROM due WHERE ${key} = due_key
        RETURNING ${key}::text AS id, due_at AS "dueAt", failed_visits AS "failedVisits"
      )
      SELECT (SELECT coalesce(json_agg(taken), '[]') FROM taken) AS taken,
             (SELECT ceil(extract(epoch FROM min(due_at) - now()) * 1000)::float8 FROM ${name}
              WHERE due_at > now() AND (${where})) AS "nextInMs",
             (extract(epoch FROM now()) * 1000)::float8 AS "nowMs"`,
    end: `
      WITH ended AS (
        UPDATE ${name} SET lease_owner = NULL, failed_visits = visit.failed_visits,
          due_at = CASE WHEN due_at = visit.was_due_at THEN now() + visit.due_in_ms * interval '1 ms'
                   ELSE due_at END
        FROM unnest($2::bigint[], $3::timestamptz[], $4::float8[], $5::int[])
          AS visit (id, was_due_at, due_in_ms, failed_visits)
        WHERE ${name}.${key} = visit.id AND lease_owner = $1
        RETURNING due_at <= now() AS is_due
      )
      SELECT pg_notify('${name}', '') FROM ended WHERE is_due LIMIT 1`,
    // Rows whose visit has ended are due at once.
    recall: `
      UPDATE ${name} SET due_at = now()
      WHERE due_at > now() AND (${where}) AND (${isEndedSql('lease_owner')} OR ${isOursSql})`,
    // The clock went back, so rows are due too late. The first process that notices moves them.
    bringForward: `
      UPDATE ${name} SET due_at = due_at - $1::float8 * interval '1 ms'
      WHERE due_at > now() + $1::float8 / 2 * interval '1 ms' AND (${where})`,
  }
}
