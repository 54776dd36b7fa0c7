/**
 * How often an account may do one thing: an exact sliding window, shared by all processes.
 *
 * Invariant: in any `windowMs`, wherever it begins, at most `requestsMax` requests are accepted. One row
 * keeps the last accepted instants, and a request is accepted by writing its own into it: one that
 * comes at the same time waits for the row and is judged by its newest version. (Counting the rows of a log
 * would not see those of requests that have not committed yet.) The one clock is the database's, read
 * after the wait.
 */
import { RateLimitReachedError } from './errors.ts'
import type { Sql } from './sql.ts'

export interface RateLimit {
  /** What is limited; each route of an account has a count of its own. */
  route: string
  /** Unless the account has a limit of its own. */
  requestsMax: number
  windowMs: number
}

/** The places of a statement where a limit's values stand, such as `$1`. */
export interface RateLimitPlaces {
  accountId: string
  route: string
  requestsMax: string
  windowMs: string
}

/**
 * SQL that accepts a request, for a CTE of the statement that does what is limited. Gives one row with
 * `account_id`, or none if the limit is reached.
 *
 * Join what depends on it: PostgreSQL does not read it again after it waited for another row.
 *
 * @param condition Without it the request is neither judged nor counted.
 */
export function acceptSql(
  { accountId, route, requestsMax, windowMs }: RateLimitPlaces,
  condition = 'true',
): string {
  return `
    INSERT INTO service.rate_limit AS latest (account_id, route, accepted_at)
    SELECT ${accountId}::int, ${route}, ARRAY[clock_timestamp()] WHERE ${condition}
    ON CONFLICT (account_id, route) DO UPDATE SET accepted_at = latest.accepted_at
      [cardinality(latest.accepted_at) - ${ownSql(requestsMax)} + 2 :] || clock_timestamp()
    WHERE COALESCE(${freeAtSql({ requestsMax, windowMs })} <= clock_timestamp(), true)
    RETURNING latest.account_id`
}

/** When the oldest of the last `requestsMax` leaves the window; NULL while there are fewer. */
function freeAtSql({ requestsMax, windowMs }: Pick<RateLimitPlaces, 'requestsMax' | 'windowMs'>) {
  return `latest.accepted_at[cardinality(latest.accepted_at) - ${ownSql(requestsMax)} + 1]
    + ${windowMs}::int * interval '1 ms'`
}

/** The account's own limit, if it has one: it stands in the row that is judged (own-limits.ts). */
function ownSql(requestsMax: string): string {
  return `COALESCE(latest.requests_max, ${requestsMax}::int)`
}

const PLACES = { accountId: '$1', route: '$2', requestsMax: '$3', windowMs: '$4' }

const FIND_WAIT = `
  SELECT EXTRACT(EPOCH FROM ${freeAtSql(PLACES)} - clock_timestamp())::float8 * 1000 AS wait_ms
  FROM service.rate_limit AS latest
  WHERE account_id = $1 AND route = $2`

/**
 * Counts one request of the account.
 *
 * @throws {RateLimitReachedError} If there were as many as may be. It is not counted.
 */
export async function acceptRequest(
  sql: Sql,
  { accountId, limit }: { accountId: number; limit: RateLimit },
): Promise<void> {
  const accepted = await sql.query({
    name: 'rate-limit-accept',
    text: acceptSql(PLACES),
    values: [accountId, limit.route, limit.requestsMax, limit.windowMs],
  })
  if (accepted.rowCount !== 1) throw await toRateLimitReachedError(sql, { accountId, limit })
}

/** Says how long the account has to wait, after a statement with `acceptSql()` gave no row. */
export async function toRateLimitReachedError(
  sql: Sql,
  { accountId, limit }: { accountId: number; limit: RateLimit },
): Promise<RateLimitReachedError> {
  const { rows } = await sql.query<{ wait_ms: number | null }>({
    name: 'rate-limit-find-wait',
    text: FIND_WAIT,
    values: [accountId, limit.route, limit.requestsMax, limit.windowMs],
  })
  return new RateLimitReachedError(rows[0]?.wait_ms ?? 0)
}
