/**
 * Rate limits: how many requests an account, or a key, may make in a minute, over all processes.
 *
 * In: the window that stands in the row which the request locks. Out: a refusal, or the window with the request.
 * A window has the instants of the last minute, ascending, and how many requests had been accepted up to each.
 * Invariant: in any 60 seconds at most `requestsMax` requests are accepted, by the database's clock, read after the row
 * is locked. An instant that is ahead by more than a minute is from before the clock was set back, and does not count.
 * `service.window_used()` and `service.window_add()` do the same in SQL for batches.
 */
import { type LimitStanding, RequestRefusedError } from './errors.ts'
import type { Sql } from './sql.ts'

export const LIMIT_KINDS = ['chat', 'video', 'image', 'sound', 'secret'] as const
export type LimitKind = (typeof LIMIT_KINDS)[number]

/** How many requests of a kind every account may make in a minute, where it has no limit of its own. */
export interface RateLimit {
  kind: LimitKind
  requestsMax: number
}

export interface RateWindow {
  /** Milliseconds since 1970. */
  instants: number[]
  totals: number[]
}

export const WINDOW_MS = 60_000
/** Above so many instants, requests of that part of the window share the latest of them. */
const INSTANTS_MAX = 100

/** The requests that a window has room for at one moment. */
export interface Room {
  requestsMax: number
  used: number
  /** The time until the next request fits; 0 if it does now. */
  waitMs: number
  /** The time until the window is empty. */
  resetMs: number
}

/** Finds the part of a window that counts: the index of its first instant, and of the first that is too far ahead. */
function boundsOf({ instants }: RateWindow, nowMs: number): { gone: number; size: number } {
  return {
    gone: instants.findLastIndex((at) => at <= nowMs - WINDOW_MS) + 1,
    size: instants.findLastIndex((at) => at <= nowMs + WINDOW_MS) + 1,
  }
}

/** Reads how full a window is. */
export function roomOf(window: RateWindow, requestsMax: number, nowMs: number): Room {
  const { gone, size } = boundsOf(window, nowMs)
  const totalAt = (index: number) => window.totals[index] ?? 0
  const leavesInMs = (index: number) => (window.instants[index] ?? 0) + WINDOW_MS - nowMs
  const used = totalAt(size - 1) - totalAt(gone - 1)
  if (used <= 0) return { requestsMax, used: 0, waitMs: 0, resetMs: 0 }
  const next = window.totals.findIndex((total) => totalAt(size - 1) - total < requestsMax)
  const waitMs = used < requestsMax ? 0 : leavesInMs(next)
  return { requestsMax, used, waitMs, resetMs: leavesInMs(size - 1) }
}

/** Adds one request to a window. */
export function addTo(window: RateWindow, nowMs: number): RateWindow {
  const { gone, size } = boundsOf(window, nowMs)
  const last = window.instants[size - 1] ?? 0
  const at = Math.max(nowMs, last)
  const isCrowded = size - gone >= INSTANTS_MAX && at - last < WINDOW_MS / INSTANTS_MAX
  const from = Math.max(gone - 1, 0)
  const to = size > 0 && (last === at || isCrowded) ? size - 1 : size
  const total = (window.totals[size - 1] ?? 0) + 1
  return {
    instants: [...window.instants.slice(from, to), at],
    totals: [...window.totals.slice(from, to), total],
  }
}

export function toStanding({ requestsMax, used, resetMs }: Room): LimitStanding {
  return { requestsMax, requestsLeft: Math.max(0, requestsMax - used), resetMs }
}

/** Refuses where one of the rooms is full: the client waits for the last of them. */
export function refuseFull(rooms: readonly Room[]): RequestRefusedError | undefined {
  const [longest] = rooms
    .filter(({ used, requestsMax }) => used >= requestsMax)
    .sort((one, other) => other.waitMs - one.waitMs)
  if (longest === undefined) return undefined
  const reason = { code: 'rate_limit_reached', retryAfterMs: longest.waitMs } as const
  return new RequestRefusedError(reason, toStanding(longest))
}

/** A window as PostgreSQL reports it. */
export interface WindowRow {
  instants: string[] | null
  totals: string[] | null
}

export function toWindow({ instants, totals }: WindowRow): RateWindow {
  return { instants: (instants ?? []).map(Number), totals: (totals ?? []).map(Number) }
}

/** SQL of a window's columns. */
export function windowSql(column: string): string {
  return `(${column}).instants, (${column}).totals`
}

const NOW_MS = 'floor(extract(epoch FROM clock_timestamp()) * 1000)::float8 AS "nowMs"'

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
 * @throws {RequestRefusedError} If the limit is reached. The request is not counted.
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
  const { instants, totals } = addTo(window, row.nowMs)
  await sql.query(
    `UPDATE service.account SET ${kind}_window = ROW($2::bigint[], $3::bigint[]) WHERE id = $1`,
    [accountId, instants, totals],
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
