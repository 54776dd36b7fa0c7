/**
 * The statements of sessions.
 *
 * Invariants:
 * - a session ends when it was not used for `IDLE_FOR`, and `ENDS_AFTER` its beginning however much it is used;
 * - a user has at most `SESSIONS_MAX`: a newer one replaces the one that was not used for longest;
 * - the one clock is the database's, so that every process and every start agree. Prisma Client has no such clock.
 */
import type { Pool } from 'pg'
import type { PrismaClient } from '../../../../platform/database/generated/client.ts'
import { hashOfToken, makeToken } from './token.ts'

const IDLE_FOR = '2 hours'
const ENDS_AFTER = '12 hours'
const SESSIONS_MAX = 20

const IS_OPEN = `used_at > now() - interval '${IDLE_FOR}' AND began_at > now() - interval '${ENDS_AFTER}'`

/** A user who is signed in. Their role is another matter, judged at each request. */
export interface OpenSession {
  userId: number
  endsAt: Date
}

export interface SessionsDeps {
  pool: Pick<Pool, 'query'>
  prisma: Pick<PrismaClient, 'dashboardSession'>
}

/** Begins, finds and ends the sessions of the page's visitors. */
export function createSessions({ pool, prisma }: SessionsDeps) {
  return { begin, use, findOpen, end, purge }

  async function begin(userId: number): Promise<OpenSession & { token: string }> {
    const token = makeToken()
    const { rows } = await pool.query<{ endsAt: Date }>(BEGIN, [hashOfToken(token), userId])
    const [row] = rows
    if (row === undefined) throw new TypeError('Cannot begin session: no row')
    return { token, userId, endsAt: row.endsAt }
  }

  async function use(token: string): Promise<OpenSession | undefined> {
    const tokenHash = hashOfToken(token)
    if (tokenHash === undefined) return undefined
    const { rows } = await pool.query<{ userId: string; endsAt: Date }>(USE, [tokenHash])
    const [row] = rows
    return row && { userId: Number(row.userId), endsAt: row.endsAt }
  }

  async function findOpen(tokens: readonly string[]): Promise<Set<string>> {
    const byHash = new Map(tokens.map((token) => [hashOfToken(token)?.toString('hex'), token]))
    const hashes = tokens.map(hashOfToken)
    const { rows } = await pool.query<{ hash: string }>(FIND_OPEN, [hashes])
    return new Set(rows.flatMap(({ hash }) => byHash.get(hash) ?? []))
  }

  async function end(token: string): Promise<void> {
    const tokenHash = hashOfToken(token)
    if (tokenHash !== undefined) await prisma.dashboardSession.deleteMany({ where: { tokenHash } })
  }

  async function purge(): Promise<void> {
    await pool.query(`DELETE FROM bot.dashboard_session WHERE NOT (${IS_OPEN})`)
  }
}

export type Sessions = ReturnType<typeof createSessions>

const BEGIN = `
  WITH replaced AS (
    DELETE FROM bot.dashboard_session WHERE token_hash IN (
      SELECT token_hash FROM bot.dashboard_session WHERE user_id = $2
      ORDER BY used_at DESC OFFSET ${SESSIONS_MAX - 1})
  )
  INSERT INTO bot.dashboard_session (token_hash, user_id, began_at, used_at)
  VALUES ($1, $2, now(), now())
  RETURNING began_at + interval '${ENDS_AFTER}' AS "endsAt"`

const USE = `
  UPDATE bot.dashboard_session SET used_at = now() WHERE token_hash = $1 AND ${IS_OPEN}
  RETURNING user_id AS "userId", began_at + interval '${ENDS_AFTER}' AS "endsAt"`

const FIND_OPEN = `
  SELECT encode(token_hash, 'hex') AS hash FROM bot.dashboard_session
  WHERE token_hash = ANY ($1::bytea[]) AND ${IS_OPEN}`
