/**
 * The tokens of the page: sessions of its visitors, and tickets, each of which allows one thing once.
 *
 * Invariants:
 * - a session ends when it was not used for `IDLE_FOR`, and `ENDS_AFTER` its beginning;
 * - a user has at most `SESSIONS_MAX` sessions: a newer one replaces the one that was not used for longest;
 * - a ticket, or data that Telegram signed, lets one request through, and none after its time;
 * - the one clock is the database's, which Prisma Client does not read;
 * - the database has the hash of each token: reading it opens nothing.
 */
import { createHash, randomBytes } from 'node:crypto'
import type { Pool } from 'pg'
import type { TicketPurpose } from '../../../platform/database/generated/enums.ts'

const IDLE_FOR = '2 hours'
const ENDS_AFTER = '12 hours'
const SESSIONS_MAX = 20

const GOOD_FOR: Readonly<Record<TicketPurpose, string>> = {
  sign_in: '5 minutes',
  download: '1 minute',
}
/** The page can say for so long why a ticket is refused. */
const KNOWN_FOR = '1 day'

const TOKEN_BYTES = 32
/** 32 bytes as base64url. */
const TOKEN = /^[\w-]{43}$/

export interface Ticket {
  userId: number
  request: unknown
}

/** The reason for which a ticket is refused. */
export type TicketRefusal = 'used' | 'expired' | 'unknown'

type Queries = Pick<Pool, 'query'>

/** Begins, finds and ends sessions. A session has no role: that is judged at each request. */
export function createSessions(pool: Queries) {
  return { begin, use, findOpen, end, purge }

  /** @returns The token, which is stored nowhere. */
  async function begin(userId: number): Promise<string> {
    const token = makeToken()
    await pool.query(BEGIN_SESSION, [hashOf(token), userId])
    return token
  }

  /** @returns The user's id; undefined if the session has ended. */
  async function use(token: string): Promise<number | undefined> {
    const { rows } = await pool.query<{ userId: string }>(USE_SESSION, [hashOf(token)])
    return rows[0] && Number(rows[0].userId)
  }

  async function findOpen(tokens: readonly string[]): Promise<Set<string>> {
    const byHash = new Map(tokens.map((token) => [hashOf(token)?.toString('hex'), token]))
    const { rows } = await pool.query<{ hash: string }>(FIND_SESSIONS, [tokens.map(hashOf)])
    return new Set(rows.flatMap(({ hash }) => byHash.get(hash) ?? []))
  }

  async function end(token: string): Promise<void> {
    await pool.query('DELETE FROM bot.dashboard_session WHERE token_hash = $1', [hashOf(token)])
  }

  async function purge(): Promise<void> {
    await pool.query(`DELETE FROM bot.dashboard_session WHERE NOT (${IS_OPEN})`)
  }
}

export type Sessions = ReturnType<typeof createSessions>

/** Makes and takes tickets, by which a user signs in or fetches a file. */
export function createTickets(pool: Queries) {
  return { make, take, takeInitData, purge }

  /** @returns The token, which is stored nowhere. */
  async function make(
    purpose: TicketPurpose,
    { userId, request = null }: { userId: number; request?: object | null },
  ): Promise<string> {
    const token = makeToken()
    await pool.query(MAKE_TICKET, [hashOf(token), userId, purpose, request, GOOD_FOR[purpose]])
    return token
  }

  async function take(purpose: TicketPurpose, token: string): Promise<Ticket | TicketRefusal> {
    const key = [hashOf(token), purpose]
    const taken = await pool.query<{ userId: string; request: unknown }>(TAKE_TICKET, key)
    const [ticket] = taken.rows
    if (ticket !== undefined) return { userId: Number(ticket.userId), request: ticket.request }
    const found = await pool.query<{ isUsed: boolean }>(FIND_TICKET, key)
    const [known] = found.rows
    if (known === undefined) return 'unknown'
    return known.isUsed ? 'used' : 'expired'
  }

  /** @returns True for the first who brings this data. It stays known for longer than it is good. */
  async function takeInitData({
    userId,
    hash,
  }: {
    userId: number
    hash: string
  }): Promise<boolean> {
    const tokenHash = createHash('sha256').update(hash).digest()
    const { rowCount } = await pool.query(TAKE_INIT_DATA, [tokenHash, userId, GOOD_FOR.sign_in])
    return rowCount === 1
  }

  async function purge(): Promise<void> {
    await pool.query(
      `DELETE FROM bot.dashboard_ticket WHERE expires_at < now() - interval '${KNOWN_FOR}'`,
    )
  }
}

export type Tickets = ReturnType<typeof createTickets>

function makeToken(): string {
  return randomBytes(TOKEN_BYTES).toString('base64url')
}

/** @returns Null for a text that cannot be a token of ours: it equals no stored hash. */
function hashOf(token: string): Buffer | null {
  return TOKEN.test(token) ? createHash('sha256').update(token).digest() : null
}

const IS_OPEN = `used_at > now() - interval '${IDLE_FOR}' AND began_at > now() - interval '${ENDS_AFTER}'`

const BEGIN_SESSION = `
  WITH replaced AS (
    DELETE FROM bot.dashboard_session WHERE token_hash IN (
      SELECT token_hash FROM bot.dashboard_session WHERE user_id = $2
      ORDER BY used_at DESC OFFSET ${SESSIONS_MAX - 1})
  )
  INSERT INTO bot.dashboard_session (token_hash, user_id, began_at, used_at)
  VALUES ($1, $2, now(), now())`

const USE_SESSION = `
  UPDATE bot.dashboard_session SET used_at = now() WHERE token_hash = $1 AND ${IS_OPEN}
  RETURNING user_id AS "userId"`

const FIND_SESSIONS = `
  SELECT encode(token_hash, 'hex') AS hash FROM bot.dashboard_session
  WHERE token_hash = ANY ($1::bytea[]) AND ${IS_OPEN}`

const MAKE_TICKET = `
  INSERT INTO bot.dashboard_ticket (token_hash, user_id, purpose, request, expires_at)
  VALUES ($1, $2, $3, $4, now() + $5::interval)`

const TAKE_INIT_DATA = `
  INSERT INTO bot.dashboard_ticket (token_hash, user_id, purpose, expires_at, used_at)
  VALUES ($1, $2, 'sign_in', now() + $3::interval, now()) ON CONFLICT (token_hash) DO NOTHING`

const TAKE_TICKET = `
  UPDATE bot.dashboard_ticket SET used_at = now()
  WHERE token_hash = $1 AND purpose = $2 AND used_at IS NULL AND expires_at > now()
  RETURNING user_id AS "userId", request`

const FIND_TICKET = `
  SELECT used_at IS NOT NULL AS "isUsed" FROM bot.dashboard_ticket
  WHERE token_hash = $1 AND purpose = $2`
