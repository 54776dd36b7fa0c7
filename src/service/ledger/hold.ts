/**
 * The estimate of one chat request, taken before the provider is called.
 *
 * Invariants:
 * - a key that is revoked when the statement begins takes nothing and counts nothing: the statement that
 *   takes the estimate proves the key, so the caller need not have looked it up;
 * - a request counts towards its account's limit, or is refused, in the statement that takes its estimate;
 *   one that the balance does not reach for counts too;
 * - a hold never takes more than the balance has: check, debit, hold and entry are one statement, and
 *   a second request waits for the first on the account's row;
 * - a request has one hold, however often it is asked for;
 * - once `markFirstOutput()` has returned true the request counts as delivered in part, also after a crash.
 *
 * How a hold ends is in end-hold.ts and take-over-holds.ts.
 */
import pg from 'pg'
import { InsufficientBalanceError, InvalidKeyError, RateLimitedError } from './errors.ts'
import { acceptSql, type RateLimit, waitMsSql } from './rate-limit.ts'
import type { Sql } from './sql.ts'

type HoldState = 'held' | 'settled' | 'released' | 'kept'

export interface Hold {
  requestId: string
  amountMicroRub: bigint
  state: HoldState
}

const HOLD = `
  WITH valid_key AS (
    SELECT FROM service.api_key
    WHERE public_id = $9 AND account_id = $2 AND revoked_at IS NULL
  ), accepted AS (
    ${acceptSql(
      { accountId: '$2', route: '$6', requestsMax: '$7', windowMs: '$8' },
      `EXISTS (SELECT FROM valid_key)
       AND NOT EXISTS (SELECT FROM service.hold WHERE request_id = $1)`,
    )}
  ), debit AS (
    UPDATE service.account SET balance_micro_rub = balance_micro_rub - $3::bigint
    FROM accepted WHERE account.id = accepted.account_id AND balance_micro_rub >= $3::bigint
    RETURNING account.id
  ), hold AS (
    INSERT INTO service.hold (request_id, account_id, model, amount_micro_rub, lease_owner)
    SELECT $1, id, $4, $3::bigint, $5 FROM debit
    RETURNING request_id, account_id
  ), entry AS (
    INSERT INTO service.entry (account_id, kind, amount_micro_rub, hold_id)
    SELECT account_id, 'hold', -$3::bigint, request_id FROM hold
  )
  SELECT EXISTS (SELECT FROM valid_key) AS has_key, EXISTS (SELECT FROM accepted) AS is_accepted,
         EXISTS (SELECT FROM hold) AS is_taken`

const FIND = `
  SELECT account.balance_micro_rub, hold.amount_micro_rub, hold.state,
         ${waitMsSql({ requestsMax: '$4', windowMs: '$5' })} AS wait_ms
  FROM service.account
  LEFT JOIN service.hold ON hold.account_id = account.id AND hold.request_id = $1
  LEFT JOIN service.rate_limit AS latest ON latest.account_id = account.id AND latest.route = $3
  WHERE account.id = $2`

const MARK_FIRST_OUTPUT = `
  UPDATE service.hold SET first_output_at = COALESCE(first_output_at, now())
  WHERE request_id = $1 AND state = 'held'`

export interface HoldRequest {
  /** A UUID, made by the caller before anything is sent. */
  requestId: string
  accountId: number
  /** Public id of the account's API key that the request came with. */
  keyId: string
  limit: RateLimit
  model: string
  /** Millionths of a rouble, >= 0. */
  amountMicroRub: bigint
  /** The process that answers the request. */
  leaseOwner: number
}

/**
 * Takes the estimate from the balance.
 *
 * Safe to repeat: a second call with the same `requestId` takes nothing, counts nothing and returns the
 * first hold.
 *
 * @returns The hold; end it with `settle()`, `release()` or `keep()`.
 * @throws {InvalidKeyError} If the key is revoked or is not one of the account's. Nothing is taken.
 * @throws {RateLimitedError} If the account has made as many requests as it may. Nothing is taken.
 * @throws {InsufficientBalanceError} If the balance is below the amount. Nothing is taken.
 */
export async function hold(sql: Sql, request: HoldRequest): Promise<Hold> {
  const { requestId, amountMicroRub } = request
  const { hasKey, isTaken, isAccepted } = await take(sql, request)
  if (!hasKey) throw new InvalidKeyError()
  if (isTaken) return { requestId, amountMicroRub, state: 'held' }
  return await findHoldOrRefuse(sql, request, { isAccepted })
}

/**
 * Notes that the answer is about to reach the client. Call it before the first byte.
 *
 * @returns Whether the hold is still open. If not, nothing may be sent: its money was given back.
 */
export async function markFirstOutput(sql: Sql, requestId: string): Promise<boolean> {
  const marked = await sql.query({
    name: 'hold-first-output',
    text: MARK_FIRST_OUTPUT,
    values: [requestId],
  })
  return marked.rowCount === 1
}

async function take(
  sql: Sql,
  { requestId, accountId, keyId, amountMicroRub, model, leaseOwner, limit }: HoldRequest,
): Promise<{ hasKey: boolean; isTaken: boolean; isAccepted: boolean }> {
  const { route, requestsMax, windowMs } = limit
  try {
    const { rows } = await sql.query<{
      has_key: boolean
      is_taken: boolean
      is_accepted: boolean
    }>({
      name: 'hold-take',
      text: HOLD,
      values: [
        ...[requestId, accountId, amountMicroRub, model, leaseOwner],
        ...[route, requestsMax, windowMs, keyId],
      ],
    })
    const row = rows[0]
    return {
      hasKey: row?.has_key === true,
      isTaken: row?.is_taken === true,
      isAccepted: row?.is_accepted === true,
    }
  } catch (error) {
    // Two calls with one id at the same time: the other one took it, and this one changed nothing.
    if (!(error instanceof pg.DatabaseError && error.constraint === 'hold_pkey')) throw error
    return { hasKey: true, isTaken: false, isAccepted: false }
  }
}

async function findHoldOrRefuse(
  sql: Sql,
  { requestId, accountId, amountMicroRub, limit }: HoldRequest,
  { isAccepted }: { isAccepted: boolean },
): Promise<Hold> {
  const { rows } = await sql.query<{
    balance_micro_rub: string
    amount_micro_rub: string | null
    state: HoldState | null
    wait_ms: number | null
  }>({
    name: 'hold-find',
    text: FIND,
    values: [requestId, accountId, limit.route, limit.requestsMax, limit.windowMs],
  })
  const row = rows[0]
  if (row?.amount_micro_rub != null && row.state !== null) {
    return { requestId, amountMicroRub: BigInt(row.amount_micro_rub), state: row.state }
  }
  if (!isAccepted) throw new RateLimitedError({ retryAfterMs: row?.wait_ms ?? 0 })
  throw new InsufficientBalanceError({
    neededMicroRub: amountMicroRub,
    availableMicroRub: BigInt(row?.balance_micro_rub ?? 0),
  })
}
