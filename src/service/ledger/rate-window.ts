/**
 * Rate limits: requests of an account or key in any 60 s, over all processes, by the database's clock.
 * A window has the instants of the last minute and the total up to each. An instant more than a minute ahead is from
 * before the clock was set back, and does not count. `service.window_used()` counts in the same way.
 */
import { type LimitStanding, RequestRefusedError } from './errors.ts'
import { findRow, lockAccount, readRow, readRows, type Sql } from './sql.ts'

export type LimitKind = 'chat' | 'video' | 'image' | 'sound' | 'secret'

/** How many requests of a kind every account may make in a minute, unless it has a limit of its own. */
export interface RateLimit {
  kind: LimitKind
  requestsMax: number
}

export const LIMITS = {
  chat: { kind: 'chat', requestsMax: 30 },
  video: { kind: 'video', requestsMax: 3 },
  image: { kind: 'image', requestsMax: 3 },
  sound: { kind: 'sound', requestsMax: 3 },
  secret: { kind: 'secret', requestsMax: 10 },
} as const satisfies Record<LimitKind, RateLimit>

export const WINDOW_MS = 60_000

/** SQL of the database's clock in milliseconds since 1970, at the moment it is read. */
export const NOW_MS_SQL = 'floor(extract(epoch FROM clock_timestamp()) * 1000)::float8'

/** A window as `to_json()` writes it: milliseconds since 1970. */
export interface RateWindow {
  instants: number[]
  totals: number[]
}

export interface Room {
  standing: LimitStanding
  /** The time until the next request fits; 0 if it does now. */
  waitMs: number
}

/** Reads how full a window is; null before its first request. */
export function roomOf(window: RateWindow | null, requestsMax: number, nowMs: number): Room {
  const { instants, totals } = window ?? { instants: [], totals: [] }
  const all = instants.map((at, index) => ({
    leavesInMs: at + WINDOW_MS - nowMs,
    total: totals[index] ?? 0,
  }))
  const gone = all.findLast(({ leavesInMs }) => leavesInMs <= 0)?.total ?? 0
  const counted = all.filter(({ leavesInMs: ms }) => ms > 0 && ms <= 2 * WINDOW_MS)
  const { total, leavesInMs: resetMs } = counted.at(-1) ?? { total: gone, leavesInMs: 0 }
  const requestsLeft = Math.max(0, requestsMax - (total - gone))
  const next = counted.find((each) => total - each.total < requestsMax)
  const waitMs = requestsLeft > 0 ? 0 : (next?.leavesInMs ?? 0)
  return { standing: { requestsMax, requestsLeft, resetMs }, waitMs }
}

/** Refuses if one of the rooms is full: the client waits for the last of them. */
export function refuseFull(rooms: readonly Room[]): RequestRefusedError | undefined {
  const full = rooms.filter(({ standing }) => standing.requestsLeft === 0)
  const [longest] = full.sort((one, other) => other.waitMs - one.waitMs)
  if (longest === undefined) return undefined
  const { waitMs: retryAfterMs, standing } = longest
  return new RequestRefusedError({ code: 'rate_limit_reached', retryAfterMs }, standing)
}

interface LimitRow {
  window: RateWindow | null
  requestsMax: number | null
  nowMs: number
}

/** Columns of a limit. An operator's limits differ between accounts; that of the callback secret does not. */
export function limitSql(kind: LimitKind): string {
  const max = kind === 'secret' ? 'NULL::int' : `${kind}_max`
  return `to_json(account.${kind}_window) AS "window", ${max} AS "requestsMax"`
}

/** Counts one request that moves no money, in a transaction. @throws {RequestRefusedError} It is not counted. */
export async function countRequest(
  sql: Sql,
  { accountId, limit: { kind, requestsMax } }: { accountId: number; limit: RateLimit },
): Promise<void> {
  await lockAccount(sql, accountId)
  const text = `SELECT ${limitSql(kind)}, ${NOW_MS_SQL} AS "nowMs" FROM service.account WHERE id = $1`
  const row = await findRow<LimitRow>(sql, text, [accountId])
  if (row === undefined) return
  const refusal = refuseFull([roomOf(row.window, row.requestsMax ?? requestsMax, row.nowMs)])
  if (refusal !== undefined) throw refusal
  await sql.query(
    `UPDATE service.account SET ${kind}_window = service.window_add(${kind}_window, $2, 1) WHERE id = $1`,
    [accountId, row.nowMs],
  )
}

/** Reads how an account stands with each limit, and its key if that has a rate. Nothing is counted. */
export async function readStandings(
  sql: Sql,
  { accountId, keyId, limits }: { accountId: number; keyId: string; limits: readonly RateLimit[] },
): Promise<{ account: LimitStanding[]; key: LimitStanding | undefined }> {
  const ofAccount = limits.map(
    ({ kind }) => `SELECT ${limitSql(kind)} FROM service.account WHERE id = $1`,
  )
  const rows = await readRows<LimitRow>(
    sql,
    `SELECT *, ${NOW_MS_SQL} AS "nowMs" FROM (${ofAccount.join(' UNION ALL ')} UNION ALL
       SELECT to_json(chat_window), requests_per_minute FROM service.api_key
       WHERE public_id = $2 AND requests_per_minute IS NOT NULL) AS each`,
    [accountId, keyId],
  )
  const standings = rows.map(({ window, requestsMax, nowMs }, index) => {
    return roomOf(window, requestsMax ?? limits[index]?.requestsMax ?? 0, nowMs).standing
  })
  return { account: standings.slice(0, limits.length), key: standings[limits.length] }
}

export type OwnLimits = Partial<Record<Exclude<LimitKind, 'secret'>, number | null>>

/** Sets limits of an account; null drops one. */
export async function setOwnLimits(sql: Sql, accountId: number, limits: OwnLimits): Promise<void> {
  for (const [kind, max] of Object.entries(limits)) {
    await sql.query(`UPDATE service.account SET ${kind}_max = $2 WHERE id = $1`, [accountId, max])
  }
}

export async function readOwnLimits(sql: Sql, accountId: number): Promise<OwnLimits> {
  const text = `SELECT chat_max AS chat, video_max AS video, image_max AS image, sound_max AS sound
    FROM service.account WHERE id = $1`
  return await readRow<OwnLimits>(sql, text, [accountId])
}
