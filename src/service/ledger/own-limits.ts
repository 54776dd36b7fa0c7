/**
 * Limits of one account that differ from those of all.
 *
 * Invariant: a limit stands in the row by which the account's requests are accepted (rate-limit.ts), so the
 * next request is judged by it in every process.
 */
import type { Sql } from './sql.ts'

// The row may be there with what was accepted, or not yet.
const SET = `
  INSERT INTO service.rate_limit AS own (account_id, route, accepted_at, requests_max)
  SELECT id, $2, '{}', $3 FROM service.account WHERE id = $1
  ON CONFLICT (account_id, route) DO UPDATE SET requests_max = EXCLUDED.requests_max`

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

/** Gives the account a limit of its own on one route. @param requestsMax > 0. */
export async function setOwnLimit(
  sql: Sql,
  { accountId, route, requestsMax }: { accountId: number; route: string; requestsMax: number },
): Promise<void> {
  await sql.query(SET, [accountId, route, requestsMax])
}

/** Has the limits of all count for the account again. */
export async function dropOwnLimits(sql: Sql, accountId: number): Promise<void> {
  await sql.query('UPDATE service.rate_limit SET requests_max = NULL WHERE account_id = $1', [
    accountId,
  ])
}
