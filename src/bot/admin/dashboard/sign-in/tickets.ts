/**
 * The statements of what is allowed once to who brings a token: to sign in, or to fetch a file.
 *
 * Invariant: of those who bring a token, or the same data that Telegram signed, however many at once and to however many
 * processes, one is let through, and none after its time.
 */
import { createHash } from 'node:crypto'
import type { Pool } from 'pg'
import type { TicketPurpose } from '../../../../platform/database/generated/enums.ts'
import { hashOfToken, makeToken } from './token.ts'

const GOOD_FOR: Readonly<Record<TicketPurpose, string>> = {
  sign_in: '5 minutes',
  download: '1 minute',
}

/** A ticket that is not good any more is known for so long, to say why. */
const KNOWN_FOR = '1 day'

export interface Ticket {
  userId: number
  request: unknown
}

/** The reason for which a ticket is refused. */
export type TicketRefusal = 'used' | 'expired' | 'unknown'

export function createTickets({ pool }: { pool: Pick<Pool, 'query'> }) {
  return { make, take, takeInitData, purge }

  /** @returns The token, which is kept nowhere. */
  async function make(
    purpose: TicketPurpose,
    { userId, request = null }: { userId: number; request?: object | null },
  ): Promise<string> {
    const token = makeToken()
    const values = [hashOfToken(token), userId, purpose, request, GOOD_FOR[purpose]]
    await pool.query(MAKE, values)
    return token
  }

  async function take(purpose: TicketPurpose, token: string): Promise<Ticket | TicketRefusal> {
    const tokenHash = hashOfToken(token)
    if (tokenHash === undefined) return 'unknown'
    const taken = await pool.query<{ userId: string; request: unknown }>(TAKE, [tokenHash, purpose])
    const [ticket] = taken.rows
    if (ticket !== undefined) return { userId: Number(ticket.userId), request: ticket.request }
    const found = await pool.query<{ isUsed: boolean }>(FIND, [tokenHash, purpose])
    const [known] = found.rows
    if (known === undefined) return 'unknown'
    return known.isUsed ? 'used' : 'expired'
  }

  /**
   * Takes what Telegram gave a page, which is a ticket that it made. It stays known for longer than it is good.
   *
   * @returns True for the first who brings it.
   */
  async function takeInitData({
    userId,
    hash,
  }: {
    userId: number
    hash: string
  }): Promise<boolean> {
    const tokenHash = createHash('sha256').update(hash).digest()
    const values = [tokenHash, userId, 'sign_in', null, GOOD_FOR.sign_in]
    const { rowCount } = await pool.query(TAKE_INIT_DATA, values)
    return rowCount === 1
  }

  async function purge(): Promise<void> {
    await pool.query(
      `DELETE FROM bot.dashboard_ticket WHERE expires_at < now() - interval '${KNOWN_FOR}'`,
    )
  }
}

export type Tickets = ReturnType<typeof createTickets>

const MAKE = `
  INSERT INTO bot.dashboard_ticket (token_hash, user_id, purpose, request, expires_at)
  VALUES ($1, $2, $3, $4, now() + $5::interval)`

const TAKE_INIT_DATA = `
  INSERT INTO bot.dashboard_ticket (token_hash, user_id, purpose, request, expires_at, used_at)
  VALUES ($1, $2, $3, $4, now() + $5::interval, now()) ON CONFLICT (token_hash) DO NOTHING`

const TAKE = `
  UPDATE bot.dashboard_ticket SET used_at = now()
  WHERE token_hash = $1 AND purpose = $2 AND used_at IS NULL AND expires_at > now()
  RETURNING user_id AS "userId", request`

const FIND = `
  SELECT used_at IS NOT NULL AS "isUsed" FROM bot.dashboard_ticket
  WHERE token_hash = $1 AND purpose = $2`
