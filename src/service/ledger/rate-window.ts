/**
 * Rate limits: requests of an account or key in any 60 s, over all processes, by the database's clock.
 * A window has the instants of the last minute and the total up to each. An instant more than a minute ahead is from
 * before the clock was set back, and does not count. `service.window_used()` counts in the same way.
 */
import { type LimitStanding, RequestRefusedError } from './errors.ts'
import { lockAccount, readRow, type Sql } from './sql.ts'

/** How many requests of a kind every account may make in a minute, unless it has a limit of its own. */
export interface RateLimit {
  kind: keyof typeof LIMITS
  requestsMax: number
}

export const LIMITS = {
  chat: { kind: 'chat', requestsMax: 30 },
  video: { kind: 'video', requestsMax: 3 },
  image: { kind: 'image', requestsMax: 3 },
  sound: { kind: 'sound', requestsMax: 3 },
} as const
const SECRETS_MAX = 10

export const WINDOW_MS = 60_000

/** SQL of the database's clock in milliseconds since 1970, at the moment it is read. */
export const NOW_MS_SQL = 'floor(extract(epoch FROM clock_timestamp()) * 1000)::float8'

/** A window as `to_json()` writes it: milliseconds since 1970. */
export interface RateWindow {
  instants: number[]
  totals: number[]
}

export interface Room extends LimitStanding {
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
  return { requestsMax, requestsLeft, resetMs, waitMs }
}

/** Admits one more request, or refuses it: the room with the least left decides, of full rooms the longest wait. */
export function admit(rooms: readonly Room[]): LimitStanding | RequestRefusedError {
  const { waitMs, requestsMax, requestsLeft, resetMs } = rooms.reduce((one, other) => {
    const isOther = other.requestsLeft - one.requestsLeft || one.waitMs - other.waitMs
    return isOther < 0 ? other : one
  })
  if (requestsLeft > 0) {
    return { requestsMax, requestsLeft: requestsLeft - 1, resetMs: Math.max(WINDOW_MS, resetMs) }
  }
  const standing = { requestsMax, requestsLeft, resetMs }
  return new RequestRefusedError({ code: 'rate_limit_reached', retryAfterMs: waitMs }, standing)
}

/** Counts one read of the callback secret, in a transaction. @throws {RequestRefusedError} It is not counted. */
export async function countSecretRead(sql: Sql, accountId: number): Promise<void> {
  await lockAccount(sql, accountId)
  const { window, nowMs } = await readRow<{ window: RateWindow | null; nowMs: number }>(
    sql,
    `SELECT to_json(secret_window) AS "window", ${NOW_MS_SQL} AS "nowMs" FROM service.account WHERE id = $1`,
    [accountId],
  )
  const standing = admit([roomOf(window, SECRETS_MAX, nowMs)])
  if (standing instanceof RequestRefusedError) throw standing
  const text =
    'UPDATE service.account SET secret_window = service.window_add(secret_window, $2, 1) WHERE id = $1'
  await sql.query(text, [accountId, nowMs])
}

export type OwnLimits = Partial<Record<RateLimit['kind'], number | null>>

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
