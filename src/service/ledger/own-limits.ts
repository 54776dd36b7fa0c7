/**
 * The limits of one account that differ from those of all.
 *
 * Invariant: a limit stands in the row by which the account's requests are accepted (rate-limit.ts), so the
 * next request is judged by it in every process.
 */
import type { Sql } from './sql.ts'

// The rows may be there with what was accepted, or not yet. All of them in one statement, and in order: the lock on the
// account that a new one takes comes after the last of them, as in a request (debit.ts).
const SET = `
  INSERT INTO service.rate_limit AS own (account_id, route, accepted_at, requests_max)
  SELECT id, route, '{}', requests_max
  FROM service.account, unnest($2::text[], $3::int[]) AS wanted (route, requests_max)
  WHERE id = $1 ORDER BY route
  ON CONFLICT (account_id, route) DO UPDATE SET requests_max = EXCLUDED.requests_max`

const DROP = `
  WITH own AS (
    SELECT account_id, route FROM service.rate_limit WHERE account_id = $1 ORDER BY route FOR UPDATE
  )
  UPDATE service.rate_limit AS latest SET requests_max = NULL
  FROM own WHERE (latest.account_id, latest.route) = (own.account_id, own.route)`

/** @returns By route, how many requests the account may make where it has a limit of its own. */
export async function readOwnLimits(
  sql: Sql,
  accountId: number,
): Promise<ReadonlyMap<string, number>> {
  const { rows } = await sql.query<{ route: string; requests_max: number }>(
    `SELECT route, requests_max FROM service.rate_limit
     WHERE account_id = $1 AND requests_max IS NOT NULL`,
    [accountId],
  )
  return new Map(rows.map(({ route, requests_max }) => [route, requests_max]))
}

/** Gives the account limits of its own. @param limits By route, how many requests it may make; > 0. */
export async function setOwnLimits(
  sql: Sql,
  accountId: number,
  limits: ReadonlyMap<string, number>,
): Promise<void> {
  await sql.query(SET, [accountId, [...limits.keys()], [...limits.values()]])
}

/** Drops the account's own limits: those of all accounts count for it again. */
export async function dropOwnLimits(sql: Sql, accountId: number): Promise<void> {
  await sql.query(DROP, [accountId])
}
