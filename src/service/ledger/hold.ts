/**
 * The estimate of one chat request, taken before the provider is called.
 *
 * Invariants:
 * - a hold never takes more than the balance has: check, debit, hold and entry are one statement, and
 *   a second request waits for the first on the account's row;
 * - a request has one hold, however often it is asked for;
 * - once `markFirstOutput()` has returned true the request counts as delivered in part, also after a crash.
 *
 * How a hold ends is in end-hold.ts and close-abandoned.ts.
 */
import pg from 'pg'
import { InsufficientBalanceError } from './errors.ts'
import type { Sql } from './sql.ts'

type HoldState = 'held' | 'settled' | 'released' | 'kept'

export interface Hold {
  requestId: string
  amountMicroRub: bigint
  state: HoldState
}

const HOLD = `
  WITH debit AS (
    UPDATE service.account SET balance_micro_rub = balance_micro_rub - $3::bigint
    WHERE id = $2 AND balance_micro_rub >= $3::bigint
      AND NOT EXISTS (SELECT FROM service.hold WHERE request_id = $1)
    RETURNING id
  ), hold AS (
    INSERT INTO service.hold (request_id, account_id, model, amount_micro_rub, instance_id)
    SELECT $1, id, $4, $3::bigint, $5 FROM debit
    RETURNING request_id, account_id
  )
  INSERT INTO service.entry (account_id, kind, amount_micro_rub, hold_id)
  SELECT account_id, 'hold', -$3::bigint, request_id FROM hold`

const FIND = `
  SELECT account.balance_micro_rub, hold.amount_micro_rub, hold.state
  FROM service.account LEFT JOIN service.hold ON hold.account_id = account.id AND hold.request_id = $1
  WHERE account.id = $2`

const MARK_FIRST_OUTPUT = `
  UPDATE service.hold SET first_output_at = COALESCE(first_output_at, now())
  WHERE request_id = $1 AND state = 'held'`

export interface HoldRequest {
  /** A UUID, made by the caller before anything is sent. */
  requestId: string
  accountId: number
  model: string
  /** Millionths of a rouble, >= 0. */
  amountMicroRub: bigint
  /** The process that answers the request. */
  instanceId: number
}

/**
 * Takes the estimate from the balance.
 *
 * Safe to repeat: a second call with the same `requestId` takes nothing and returns the first hold.
 *
 * @returns The hold; end it with `settle()`, `release()` or `keep()`.
 * @throws {InsufficientBalanceError} If the balance is below the amount. Nothing is taken.
 */
export async function hold(sql: Sql, request: HoldRequest): Promise<Hold> {
  const { requestId, accountId, model, amountMicroRub, instanceId } = request
  try {
    const taken = await sql.query({
      name: 'hold-take',
      text: HOLD,
      values: [requestId, accountId, amountMicroRub, model, instanceId],
    })
    if (taken.rowCount === 1) return { requestId, amountMicroRub, state: 'held' }
  } catch (error) {
    // Two calls with one id at the same time: the other one took it, and this one changed nothing.
    if (!(error instanceof pg.DatabaseError && error.constraint === 'hold_pkey')) throw error
  }
  return await findHoldOrRefuse(sql, request)
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

async function findHoldOrRefuse(sql: Sql, request: HoldRequest): Promise<Hold> {
  const { requestId, accountId, amountMicroRub } = request
  const { rows } = await sql.query<{
    balance_micro_rub: string
    amount_micro_rub: string | null
    state: HoldState | null
  }>({ name: 'hold-find', text: FIND, values: [requestId, accountId] })
  const row = rows[0]
  if (row?.amount_micro_rub != null && row.state !== null) {
    return { requestId, amountMicroRub: BigInt(row.amount_micro_rub), state: row.state }
  }
  throw new InsufficientBalanceError({
    neededMicroRub: amountMicroRub,
    availableMicroRub: BigInt(row?.balance_micro_rub ?? 0),
  })
}
