/**
 * The rate limit of an account for one thing: a sliding window, shared by all processes.
 *
 * Invariant: in any `windowMs`, wherever it begins, at most `requestsMax` requests are accepted. One row
 * keeps the last accepted instants, and a request is accepted by writing its own into it: one that
 * comes at the same time waits for the row and is judged by its newest version. (Counting the rows of a log
 * would not see those of requests that have not committed yet.) The one clock is the database's, read
 * after the wait.
 *
 * Up to a limit of `INSTANTS_MAX` each request has its own instant, and how many are in the window is the
 * index of its beginning among them. Above it the row stays as small: requests of one `INSTANTS_MAX`th of the window
 * share the latest instant, beside which the row has how many were accepted until then. The earlier of them leave the window
 * later than they would by that much at most.
 *
 * The database's clock may be set back: an instant that is ahead by more than a window does not count, and a request
 * that comes while the latest one is ahead by less is counted at that one, so that instants stay in order. Nobody waits
 * for more than two windows.
 */
import { type LimitStanding, RateLimitReachedError } from './errors.ts'
import type { Sql } from './sql.ts'

/** The most instants of a row, sixteen bytes each: PostgreSQL stores a row of that size in one piece. */
const INSTANTS_MAX = 100

export interface RateLimit {
  route: string
  requestsMax: number
  windowMs: number
}

const IS_OF_ROW = '(asked.account_id, asked.route) = (latest.account_id, latest.route)'

/** The account's own limit, if it has one: it stands in the row that is judged (own-limits.ts). */
const REQUESTS_MAX = 'COALESCE(latest.requests_max, asked.requests_max)'

const SIZE = 'cardinality(latest.accepted_at)'
// A process of an older version adds and drops instants only: the totals are not those of its row.
const HAS_TOTALS = `COALESCE(cardinality(latest.accepted_total) = ${SIZE}, false)`
const TOTALS = `CASE WHEN ${HAS_TOTALS} THEN latest.accepted_total
  ELSE ARRAY(SELECT * FROM generate_series(1::bigint, ${SIZE})) END`
/** How many requests were accepted up to the instant of an index; 0 for the index 0. */
const totalSql = (index: string) =>
  `CASE WHEN ${HAS_TOTALS} THEN COALESCE(latest.accepted_total[${index}], 0) ELSE ${index} END`

/** How many of the instants have left the window at a moment; and how many have, or are in it. */
const goneSql = (moment: string) => `width_bucket(${moment} - asked.width, latest.accepted_at)`
const sizeSql = (moment: string) => `width_bucket(${moment} + asked.width, latest.accepted_at)`
/** How many requests were accepted in the window between two such indexes. */
const usedSql = (gone: string, size: string) => `${totalSql(size)} - ${totalSql(gone)}`

/** The part of the window, counted from 1970, that a moment is in. */
const stepSql = (moment: string) =>
  `floor(date_part('epoch', ${moment}) * ${INSTANTS_MAX} / date_part('epoch', width))`

/**
 * SQL that accepts requests, for a CTE of the statement that does what is limited. It reads the CTE `asked`: how
 * many requests there are, one row for each account and route. Gives such rows with how many are `accepted`, how many
 * there may be (`limit_max`) and how many more after them (`limit_left`); none where the limit is reached.
 *
 * Join what depends on it: PostgreSQL does not read it again after it waited for another row.
 */
export const ACCEPT_SQL = `
  INSERT INTO service.rate_limit AS latest (account_id, route, accepted_at, last_accepted)
  SELECT account_id, route, array_fill(clock_timestamp(), ARRAY[accepted]), accepted
  FROM asked CROSS JOIN LATERAL (SELECT LEAST(requests, requests_max) AS accepted) AS added
  ORDER BY account_id, route
  ON CONFLICT (account_id, route) DO UPDATE
  SET (accepted_at, accepted_total, last_accepted) = (
    SELECT
      CASE WHEN shares THEN latest.accepted_at[kept_from : kept_until] || counted_at
        ELSE latest.accepted_at[gone + 1 : size] || array_fill(counted_at, ARRAY[added]) END,
      CASE WHEN shares THEN (${TOTALS})[kept_from : kept_until] || ${totalSql('size')} + added END,
      added
    FROM asked
    CROSS JOIN LATERAL (SELECT clock_timestamp() AS now) AS moment
    CROSS JOIN LATERAL (SELECT ${goneSql('now')} AS gone, ${sizeSql('now')} AS size) AS past
    CROSS JOIN LATERAL (
      SELECT ${usedSql('gone', 'size')} AS used, GREATEST(now, latest.accepted_at[size]) AS counted_at
    ) AS present
    CROSS JOIN LATERAL (
      SELECT LEAST(requests, ${REQUESTS_MAX} - used)::int AS added,
        ${REQUESTS_MAX} > ${INSTANTS_MAX} OR used > size - gone AS shares,
        -- The total of the last one that has left is how many had been accepted before the others.
        GREATEST(gone, 1) AS kept_from,
        size - COALESCE(${stepSql('latest.accepted_at[size]')} = ${stepSql('counted_at')}, false)::int AS kept_until
    ) AS next
    WHERE ${IS_OF_ROW}
  )
  WHERE EXISTS (
    SELECT FROM asked CROSS JOIN LATERAL (SELECT clock_timestamp() AS now) AS moment
    CROSS JOIN LATERAL (SELECT ${goneSql('now')} AS gone, ${sizeSql('now')} AS size) AS past
    WHERE ${IS_OF_ROW} AND ${REQUESTS_MAX} > ${usedSql('gone', 'size')}
  )
  RETURNING latest.account_id, latest.route, latest.last_accepted AS accepted,
    (SELECT ${REQUESTS_MAX} FROM asked WHERE ${IS_OF_ROW}) AS limit_max,
    (
      SELECT (${REQUESTS_MAX} - (${usedSql('gone', 'size')}))::int
      FROM asked CROSS JOIN LATERAL (SELECT clock_timestamp() AS now) AS moment
      CROSS JOIN LATERAL (SELECT ${goneSql('now')} AS gone, ${sizeSql('now')} AS size) AS past
      WHERE ${IS_OF_ROW}
    ) AS limit_left`

/** A key's own rate has a row of its own, beside those of its account's routes. */
const KEY_ROUTE = 'key/'
const KEY_WINDOW_MS = 60_000
export const KEY_WINDOW_SQL = `${KEY_WINDOW_MS} * interval '1 ms'`

/** SQL of the route of a key's own rate. */
export function keyRouteSql(keyId: string): string {
  return `'${KEY_ROUTE}' || ${keyId}`
}

/** The limit that a key has beside its account's. */
export function keyLimit(keyId: string, requestsPerMinute: number): RateLimit {
  return { route: KEY_ROUTE + keyId, requestsMax: requestsPerMinute, windowMs: KEY_WINDOW_MS }
}

/**
 * SQL of how many requests there may be just now by each of the two limits of an `operation` whose `valid_key` has a
 * rate of its own; of one that has none, no row. It locks nothing: what comes at the same time is judged by `ACCEPT_SQL`.
 */
export const LEFT_SQL = `
  SELECT latest.route, ${REQUESTS_MAX} - (${usedSql('gone', 'size')}) AS requests_left
  FROM (VALUES
    (operation.account_id, operation.route, operation.requests_max, operation.window_ms * interval '1 ms'),
    (operation.account_id, ${keyRouteSql('operation.key_id')}, valid_key.key_rate, ${KEY_WINDOW_SQL})
  ) AS asked (account_id, route, requests_max, width)
  JOIN service.rate_limit AS latest ON ${IS_OF_ROW}
  CROSS JOIN LATERAL (SELECT clock_timestamp() AS now) AS moment
  CROSS JOIN LATERAL (SELECT ${goneSql('now')} AS gone, ${sizeSql('now')} AS size) AS past
  WHERE valid_key.key_rate IS NOT NULL`

const ASK = `
  SELECT $1::int AS account_id, $2 AS route, 1 AS requests, $3::int AS requests_max,
    $4::int * interval '1 ms' AS width`

const ACCEPT = `WITH asked AS (${ASK}) ${ACCEPT_SQL}`

// The next request fits when all have left the window but the newest, fewer than the limit.
const FIND_WAIT = `
  SELECT EXTRACT(EPOCH FROM latest.accepted_at[index] + width - clock_timestamp())::float8 * 1000 AS "waitMs",
    EXTRACT(EPOCH FROM latest.accepted_at[size] + width - clock_timestamp())::float8 * 1000 AS "resetMs",
    ${REQUESTS_MAX} AS "requestsMax"
  FROM (${ASK}) AS asked
  JOIN service.rate_limit AS latest ON ${IS_OF_ROW}
  CROSS JOIN LATERAL (SELECT ${sizeSql('clock_timestamp()')} AS size) AS present
  CROSS JOIN LATERAL (
    SELECT width_bucket(${totalSql('size')} - ${REQUESTS_MAX}, ${TOTALS}) + 1 AS index
  ) AS last`

/**
 * Counts one request of the account.
 *
 * @throws {RateLimitReachedError} If the limit is reached. The request is not counted.
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

const READ_STANDINGS = `
  SELECT asked.route, ${REQUESTS_MAX} AS "requestsMax",
    GREATEST(0, ${REQUESTS_MAX} - COALESCE(${usedSql('gone', 'size')}, 0))::int AS "requestsLeft",
    GREATEST(0, COALESCE(EXTRACT(EPOCH FROM latest.accepted_at[size] + width - now), 0))::float8 * 1000 AS "resetMs"
  FROM (
    SELECT $1::int AS account_id, route, requests_max, window_ms * interval '1 ms' AS width
    FROM unnest($2::text[], $3::int[], $4::int[]) AS one (route, requests_max, window_ms)
  ) AS asked
  LEFT JOIN service.rate_limit AS latest ON ${IS_OF_ROW}
  CROSS JOIN LATERAL (SELECT clock_timestamp() AS now) AS moment
  CROSS JOIN LATERAL (SELECT ${goneSql('now')} AS gone, ${sizeSql('now')} AS size) AS past`

/** Reads how an account stands with limits, by their routes in the same order. Nothing is counted. */
export async function readStandings(
  sql: Sql,
  { accountId, limits }: { accountId: number; limits: readonly RateLimit[] },
): Promise<ReadonlyMap<string, LimitStanding>> {
  const { rows } = await sql.query<LimitStanding & { route: string }>({
    name: 'rate-limit-read',
    text: READ_STANDINGS,
    values: [
      accountId,
      limits.map(({ route }) => route),
      limits.map(({ requestsMax }) => requestsMax),
      limits.map(({ windowMs }) => windowMs),
    ],
  })
  const found = new Map(rows.map(({ route, ...standing }) => [route, standing]))
  return new Map(
    limits.map(({ route, requestsMax }) => [
      route,
      found.get(route) ?? { requestsMax, requestsLeft: requestsMax, resetMs: 0 },
    ]),
  )
}

/**
 * Reads how long the account has to wait, after a statement with `ACCEPT_SQL` gave no row.
 *
 * @param others Limits that may have been reached instead, or as well.
 */
export async function toRateLimitReachedError(
  sql: Sql,
  { accountId, limit }: { accountId: number; limit: RateLimit },
  others: readonly RateLimit[] = [],
): Promise<RateLimitReachedError> {
  if (others.length === 0) return await readWait(sql, { accountId, limit })
  const limits = [limit, ...others]
  const standings = await readStandings(sql, { accountId, limits })
  const reached = limits.filter(({ route }) => standings.get(route)?.requestsLeft === 0)
  const waits = await Promise.all(reached.map((limit) => readWait(sql, { accountId, limit })))
  const [longest] = waits.sort((one, other) => other.retryAfterMs - one.retryAfterMs)
  return longest ?? new RateLimitReachedError(0)
}

async function readWait(
  sql: Sql,
  { accountId, limit }: { accountId: number; limit: RateLimit },
): Promise<RateLimitReachedError> {
  const { rows } = await sql.query<{
    waitMs: number | null
    resetMs: number | null
    requestsMax: number
  }>({
    name: 'rate-limit-find-wait',
    text: FIND_WAIT,
    values: [accountId, limit.route, limit.requestsMax, limit.windowMs],
  })
  const { waitMs, resetMs, requestsMax = limit.requestsMax } = rows[0] ?? {}
  return new RateLimitReachedError(waitMs ?? 0, {
    requestsMax,
    requestsLeft: 0,
    resetMs: Math.max(0, resetMs ?? 0),
  })
}
