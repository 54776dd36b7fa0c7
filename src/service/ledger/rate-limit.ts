/**
 * How often an account may do one thing: a sliding window, shared by all processes.
 *
 * Invariant: in any `windowMs`, wherever it begins, at most `requestsMax` requests are accepted. One row
 * keeps the last accepted instants, and a request is accepted by writing its own into it: one that
 * comes at the same time waits for the row and is judged by its newest version. (Counting the rows of a log
 * would not see those of requests that have not committed yet.) The one clock is the database's, read
 * after the wait.
 *
 * Up to a limit of `INSTANTS_MAX` each request has its own instant. Above it an instant has a count, so that the
 * row stays small: the requests of one `INSTANTS_MAX`th of the window share the latest instant, and the earlier of
 * them leave the window later than they would by that much at most.
 */
import { RateLimitReachedError } from './errors.ts'
import type { Sql } from './sql.ts'

/** Twelve bytes each: with so many a row is still stored in one piece. */
const INSTANTS_MAX = 120

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
 * SQL of one row for the CTE `asked`: one request.
 *
 * @param condition Without it the request is neither judged nor counted.
 */
export function askedSql(
  { accountId, route, requestsMax, windowMs }: RateLimitPlaces,
  condition = 'true',
): string {
  return `SELECT ${accountId}::int AS account_id, ${route} AS route, 1 AS requests,
      ${requestsMax}::int AS requests_max, ${windowMs}::int * interval '1 ms' AS width
    WHERE ${condition}`
}

const IS_OF_ROW = '(asked.account_id, asked.route) = (latest.account_id, latest.route)'

/** The account's own limit, if it has one: it stands in the row that is judged (own-limits.ts). */
const REQUESTS_MAX = 'COALESCE(latest.requests_max, asked.requests_max)'

// A process of an older version adds and drops instants only: one without a count stands for one.
const PAST = `(
    SELECT instant, COALESCE(requests, 1) AS requests, index
    FROM unnest(latest.accepted_at, latest.accepted_count) WITH ORDINALITY AS each (instant, requests, index)
    WHERE instant IS NOT NULL
  ) AS past`

/**
 * SQL that accepts requests, for a CTE of the statement that does what is limited. It reads the CTE `asked`: how
 * many requests there are, one row for each account and route. Gives such rows with how many are `accepted`,
 * none where the limit is reached.
 *
 * Join what depends on it: PostgreSQL does not read it again after it waited for another row.
 */
export const ACCEPT_SQL = `
  INSERT INTO service.rate_limit AS latest
    (account_id, route, accepted_at, accepted_count, last_accepted)
  SELECT account_id, route, array_fill(clock_timestamp(), ARRAY[accepted]), array_fill(1, ARRAY[accepted]), accepted
  FROM asked CROSS JOIN LATERAL (SELECT LEAST(requests, requests_max) AS accepted) AS added
  ORDER BY account_id, route
  ON CONFLICT (account_id, route) DO UPDATE
  SET (accepted_at, accepted_count, last_accepted) = (
    SELECT kept.instants || CASE WHEN step.began IS NULL
        THEN array_fill(now, ARRAY[added.requests]) ELSE ARRAY[now] END,
      kept.counts || CASE WHEN step.began IS NULL
        THEN array_fill(1, ARRAY[added.requests]) ELSE ARRAY[added.requests + kept.shared] END,
      added.requests
    FROM asked
    CROSS JOIN LATERAL (SELECT clock_timestamp() AS now) AS moment
    CROSS JOIN LATERAL (
      SELECT CASE WHEN ${REQUESTS_MAX} > ${INSTANTS_MAX} THEN to_timestamp(
        floor(EXTRACT(EPOCH FROM now)::float8 / step.seconds) * step.seconds) END AS began
      FROM (SELECT EXTRACT(EPOCH FROM width)::float8 / ${INSTANTS_MAX} AS seconds) AS step
    ) AS step
    CROSS JOIN LATERAL (
      SELECT array_agg(instant ORDER BY index) FILTER (WHERE NOT is_shared) AS instants,
        array_agg(requests ORDER BY index) FILTER (WHERE NOT is_shared) AS counts,
        COALESCE(sum(requests) FILTER (WHERE is_shared), 0)::int AS shared,
        COALESCE(sum(requests), 0)::int AS used
      FROM ${PAST} CROSS JOIN LATERAL (SELECT COALESCE(instant >= step.began, false) AS is_shared) AS step
      WHERE instant > now - width
    ) AS kept
    CROSS JOIN LATERAL (
      SELECT LEAST(asked.requests, ${REQUESTS_MAX} - kept.used) AS requests
    ) AS added
    WHERE ${IS_OF_ROW}
  )
  WHERE EXISTS (
    SELECT FROM asked WHERE ${IS_OF_ROW} AND ${REQUESTS_MAX} > COALESCE((
      SELECT sum(requests) FROM ${PAST} WHERE instant > clock_timestamp() - width
    ), 0)
  )
  RETURNING latest.account_id, latest.route, latest.last_accepted AS accepted`

const PLACES = { accountId: '$1', route: '$2', requestsMax: '$3', windowMs: '$4' }

const ACCEPT = `WITH asked AS (${askedSql(PLACES)}) ${ACCEPT_SQL}`

// The next request fits when the newest have left that are together as many as may be.
const FIND_WAIT = `
  SELECT EXTRACT(EPOCH FROM instant + width - clock_timestamp())::float8 * 1000 AS wait_ms
  FROM (${askedSql(PLACES)}) AS asked
  JOIN service.rate_limit AS latest ON ${IS_OF_ROW}
  CROSS JOIN LATERAL (
    SELECT instant, sum(requests) OVER (ORDER BY index DESC) AS since FROM ${PAST}
  ) AS past
  WHERE since >= ${REQUESTS_MAX}
  ORDER BY since LIMIT 1`

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
    text: ACCEPT,
    values: [accountId, limit.route, limit.requestsMax, limit.windowMs],
  })
  if (accepted.rowCount !== 1) throw await toRateLimitReachedError(sql, { accountId, limit })
}

/** Says how long the account has to wait, after a statement with `ACCEPT_SQL` gave no row. */
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
