/**
 * The estimate of one chat request, taken before the provider is called.
 *
 * Invariants:
 * - a key that is revoked when the statement begins takes nothing and counts nothing: the statement that
 *   takes the estimate proves the key, so the caller need not have looked it up;
 * - check, debit (debit.ts), hold and entry are one statement;
 * - a request has one hold: asking for a second one fails and changes nothing;
 * - once `markFirstOutput()` has returned true the request counts as delivered in part, also after a crash.
 *
 * How a hold ends is in end-hold.ts and take-over-holds.ts.
 */
import { debitSql, toDebitRefusal } from './debit.ts'
import { InvalidKeyError } from './errors.ts'
import type { RateLimit } from './rate-limit.ts'
import type { Sql } from './sql.ts'

const HOLD = `
  WITH valid_key AS (
    SELECT FROM service.api_key
    WHERE public_id = $9 AND account_id = $2 AND revoked_at IS NULL
  ), ${debitSql(
    { accountId: '$2', amount: '$3', route: '$6', requestsMax: '$7', windowMs: '$8' },
    'EXISTS (SELECT FROM valid_key)',
  )}, hold AS (
    INSERT INTO service.hold (request_id, account_id, model, amount_micro_rub, lease_owner)
    SELECT $1, id, $4, $3::bigint, $5 FROM debit
    RETURNING request_id, account_id
  ), entry AS (
    INSERT INTO service.entry (account_id, kind, amount_micro_rub, hold_id)
    SELECT account_id, 'hold', -$3::bigint, request_id FROM hold
  )
  SELECT EXISTS (SELECT FROM valid_key) AS has_key, EXISTS (SELECT FROM hold) AS is_taken,
         (SELECT balance_micro_rub FROM payer) AS available`

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
 * Takes the estimate from the balance. End the hold with `settle()`, `release()` or `keep()`.
 *
 * @throws {InvalidKeyError} If the key is revoked or is not one of the account's. Nothing is taken.
 * @throws {RateLimitReachedError} If the account has made as many requests as it may. Nothing is taken.
 * @throws {BalanceTooLowError} If the balance is below the amount. Nothing is taken.
 */
export async function hold(
  sql: Sql,
  { requestId, accountId, keyId, limit, model, amountMicroRub, leaseOwner }: HoldRequest,
): Promise<void> {
  const { rows } = await sql.query<{
    has_key: boolean
    is_taken: boolean
    available: string | null
  }>({
    name: 'hold-take',
    text: HOLD,
    values: [
      ...[requestId, accountId, amountMicroRub, model, leaseOwner],
      ...[limit.route, limit.requestsMax, limit.windowMs, keyId],
    ],
  })
  const [row] = rows
  if (row?.is_taken) return
  if (!row?.has_key) throw new InvalidKeyError()
  throw await toDebitRefusal(sql, { accountId, limit, amountMicroRub }, row.available)
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
