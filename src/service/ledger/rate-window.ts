/**
 * Rate limits: how many requests an account, or a key, may make in a minute, over all processes.
 *
 * In: the window that stands in the row which the request locks. Out: a refusal, or the window with the request.
 * A window has the seconds of the last minute, ascending, and how many requests had been accepted up to the end of each.
 * Invariant: in any 60 seconds at most `requestsMax` requests are accepted. A second counts until it is over for a
 * minute, by the database's clock, read after the row is locked. A second that is ahead by more than a minute is from
 * before the clock was set back, and does not count.
 * `service.window_used()` and `service.window_add()` do the same in SQL for batches.
 */
import { type LimitStanding, RateLimitReachedError } from './errors.ts'
import type { Sql } from './sql.ts'

export const LIMIT_KINDS = ['chat', 'video', 'image', 'sound', 'secret'] as const
export type LimitKind = (typeof LIMIT_KINDS)[number]

/** How many requests of a kind every account may make in a minute, where it has no limit of its own. */
export interface RateLimit {
  kind: LimitKind
  requestsMax: number
}

export interface RateWindow {
  seconds: number[]
  totals: number[]
}

const WINDOW_SECONDS = 60
export const WINDOW_MS = WINDOW_SECONDS * 1000

/** The requests that a window has room for at one moment. */
export interface Room {
  requestsMax: number
  used: number
  /** The time until the next request fits; 0 if it does now. */
  waitMs: number
  /** The time until the window is empty. */
  resetMs: number
}

/** Reads how full a window is. */
export function roomOf(window: RateWindow, requestsMax: number, nowMs: number): Room {
  const second = Math.floor(nowMs / 1000)
  const live = window.seconds.flatMap((at, index) =>
    at >= second - WINDOW_SECONDS && at <= second + WINDOW_SECONDS ? [index] : [],
  )
  const [first, last] = [live[0], live.at(-1)]
  if (first === undefined || last === undefined) {
    return { requestsMax, used: 0, waitMs: 0, resetMs: 0 }
  }
  const { seconds, totals } = window
  const total = totals[last] ?? 0
  const used = total - (totals[first - 1] ?? 0)
  const leavesInMs = (index: number) => ((seconds[index] ?? 0) + WINDOW_SECONDS + 1) * 1000 - nowMs
  const next = live.find((index) => total - (totals[index] ?? 0) < requestsMax) ?? last
  return {
    requestsMax,
    used,
    waitMs: used < requestsMax ? 0 : leavesInMs(next),
    resetMs: leavesInMs(last),
  }
}

/** Adds one request to a window. */
export function addTo(window: RateWindow, nowMs: number): RateWindow {
  const second = Math.floor(nowMs / 1000)
  const entries = window.seconds.map((at, index) => ({ at, total: window.totals[index] ?? 0 }))
  const past = entries.filter(({ at }) => at <= second + WINDOW_SECONDS)
  const gone = past.findLastIndex(({ at }) => at < second - WINDOW_SECONDS)
  const last = past.at(-1)
  const counted = { at: Math.max(second, last?.at ?? second), total: (last?.total ?? 0) + 1 }
  const kept = past.slice(Math.max(gone, 0)).filter(({ at }) => at < counted.at)
  const next = [...kept, counted]
  return { seconds: next.map(({ at }) => at), totals: next.map(({ total }) => total) }
}

export function toStanding({ requestsMax, used, resetMs }: Room): LimitStanding {
  return {
    requestsMax,
    requestsLeft: Math.max(0, requestsMax - used),
    resetMs: Math.min(resetMs, WINDOW_MS),
  }
}

/** Refuses where one of the rooms is full: the client waits for the last of them. */
export function refuseFull(rooms: readonly Room[]): RateLimitReachedError | undefined {
  const [longest] = rooms
    .filter(({ used, requestsMax }) => used >= requestsMax)
    .sort((one, other) => other.waitMs - one.waitMs)
  return longest && new RateLimitReachedError(longest.waitMs, toStanding(longest))
}

/** A window as PostgreSQL reports it. */
export interface WindowRow {
  seconds: number[] | null
  totals: string[] | null
}

export function toWindow({ seconds, totals }: WindowRow): RateWindow {
  return { seconds: seconds ?? [], totals: (totals ?? []).map(Number) }
}

/** SQL of a window's columns. */
export function windowSql(column: string): string {
  return `(${column}).seconds, (${column}).totals`
}

const NOW_MS = 'extract(epoch FROM clock_timestamp())::float8 * 1000 AS "nowMs"'

interface CountRow extends WindowRow {
  id: number
  requestsMax: number | null
  nowMs: number
}

/** Columns of a limit; only an operator's limits have one of their own. */
function columnsOf(kind: LimitKind): string {
  return `${windowSql(`${kind}_window`)}, ${kind === 'secret' ? 'NULL::int' : `${kind}_max`} AS "requestsMax"`
}

/**
 * Counts one request that moves no money. Call it in a transaction.
 *
 * @throws {RateLimitReachedError} If the limit is reached. The request is not counted.
 */
export async function countRequest(
  sql: Sql,
  { accountId, limit: { kind, requestsMax } }: { accountId: number; limit: RateLimit },
): Promise<void> {
  await sql.query('SELECT FROM service.account WHERE id = $1 FOR UPDATE', [accountId])
  const { rows } = await sql.query<CountRow>(
    `SELECT ${columnsOf(kind)}, ${NOW_MS} FROM service.account WHERE id = $1`,
    [accountId],
  )
  const [row] = rows
  if (row === undefined) return
  const window = toWindow(row)
  const refusal = refuseFull([roomOf(window, row.requestsMax ?? requestsMax, row.nowMs)])
  if (refusal !== undefined) throw refusal
  const { seconds, totals } = addTo(window, row.nowMs)
  await sql.query(
    `UPDATE service.account SET ${kind}_window = ROW($2::int[], $3::bigint[]) WHERE id = $1`,
    [accountId, seconds, totals],
  )
}

/** Reads how an account stands with each limit, and its key if that has a rate. Nothing is counted. */
export async function readStandings(
  sql: Sql,
  { accountId, keyId, limits }: { accountId: number; keyId: string; limits: readonly RateLimit[] },
): Promise<{ account: LimitStanding[]; key: LimitStanding | undefined }> {
  const ofAccount = limits.map(({ kind }) => `SELECT ${columnsOf(kind)} FROM account`)
  const { rows } = await sql.query<CountRow>(
    `WITH account AS (SELECT * FROM service.account WHERE id = $1)
     SELECT *, ${NOW_MS} FROM (${ofAccount.join(' UNION ALL ')} UNION ALL
       SELECT ${windowSql('chat_window')}, requests_per_minute FROM service.api_key
       WHERE public_id = $2 AND requests_per_minute IS NOT NULL) AS each`,
    [accountId, keyId],
  )
  const standings = rows.map((row, index) => {
    const requestsMax = row.requestsMax ?? limits[index]?.requestsMax ?? 0
    return toStanding(roomOf(toWindow(row), requestsMax, row.nowMs))
  })
  return { account: standings.slice(0, limits.length), key: standings[limits.length] }
}

/** The limits that an operator sets for one account. */
export type OwnLimits = Partial<Record<Exclude<LimitKind, 'secret'>, number | null>>

/** Sets limits of an account; null drops one. The next request is judged by them in every process. */
export async function setOwnLimits(sql: Sql, accountId: number, limits: OwnLimits): Promise<void> {
  const sets = Object.keys(limits).map((kind, index) => `${kind}_max = $${index + 2}`)
  if (sets.length === 0) return
  await sql.query(`UPDATE service.account SET ${sets.join(', ')} WHERE id = $1`, [
    accountId,
    ...Object.values(limits),
  ])
}

export async function readOwnLimits(sql: Sql, accountId: number): Promise<OwnLimits> {
  const { rows } = await sql.query<OwnLimits>(
    `SELECT chat_max AS chat, video_max AS video, image_max AS image, sound_max AS sound
     FROM service.account WHERE id = $1`,
    [accountId],
  )
  return rows[0] ?? {}
}
