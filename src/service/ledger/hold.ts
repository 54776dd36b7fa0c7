/**
 * The estimate of one chat request, taken before the provider is called.
 *
 * Invariants:
 * - the key's proof, check, debit (debit.ts), hold and entry are one statement, which others may share (batch/lane.ts);
 * - a request has one hold: asking for a second one fails and changes nothing;
 * - once `markFirstOutput()` has returned true the request counts as delivered in part, also after a crash.
 *
 * How a hold ends is in end-hold.ts and take-over-holds.ts.
 */
import { inSpan } from '../../platform/tracing/span.ts'
import { type LedgerSql, run } from './batch/operation.ts'
import {
  DEBIT_FACTS_SQL,
  type DebitFacts,
  type DebitRequest,
  debitSql,
  toBalanceAfter,
  toDebitRefusal,
  toDebitRow,
} from './debit.ts'
import type { Sql } from './sql.ts'
import { tellMoney } from './tell-money.ts'

const HOLD = `
  WITH ${debitSql({
    accountId: '$2',
    keyId: '$3',
    model: '$4',
    amount: '$5',
    route: '$6',
    requestsMax: '$7',
    windowMs: '$8',
  })}, hold AS (
    INSERT INTO service.hold
      (request_id, account_id, key_id, model, amount_micro_rub, lease_owner,
       prompt_micro_rub_per_1m, completion_micro_rub_per_1m)
    SELECT $1, id, $3, $4, $5::bigint, $9, $10, $11 FROM debit
    RETURNING request_id, account_id, key_id
  ), entry AS (
    INSERT INTO service.entry (account_id, kind, amount_micro_rub, hold_id, key_id)
    SELECT account_id, 'hold', -$5::bigint, request_id, key_id FROM hold
  )
  SELECT EXISTS (SELECT FROM hold) AS "isDone", ${DEBIT_FACTS_SQL}`

const MARK_FIRST_OUTPUT = `
  UPDATE service.hold SET first_output_at = COALESCE(first_output_at, now()), upstream = $2
  WHERE request_id = $1 AND state = 'held'`

export interface HoldRequest extends DebitRequest {
  /** A UUID, made by the caller before anything is sent. */
  requestId: string
  /** The model's prices, which the request keeps, in millionths of a rouble per 1 million tokens. */
  promptMicroRubPer1m: bigint
  completionMicroRubPer1m: bigint
  /** The process that answers the request. */
  leaseOwner: number
}

/**
 * Takes the estimate from the balance. End the hold with `settle()`, `release()` or `keep()`.
 *
 * Whatever it throws, nothing is taken.
 *
 * @throws {InvalidKeyError} If the key is revoked, has expired or is not one of the account's.
 * @throws {ModelNotAllowedError} If the key may not use the model.
 * @throws {RateLimitReachedError} If the account has made as many requests as it may.
 * @throws {BalanceTooLowError} If the balance is below the amount.
 * @throws {SpendLimitReachedError} If the key may not spend so much more.
 */
export function hold(sql: LedgerSql, request: HoldRequest): Promise<void> {
  const { requestId, accountId, model } = request
  const attributes = {
    'kopeck.request_id': requestId,
    'kopeck.account_id': accountId,
    'kopeck.model': model,
  }
  return inSpan({ name: 'hold', kind: 'internal', attributes }, async () => {
    const held = await run(sql, {
      subject: requestId,
      row: {
        kind: 'hold',
        entry_kind: 'hold',
        ...toDebitRow(request),
        request_id: requestId,
        lease_owner: request.leaseOwner,
        prompt_price: `${request.promptMicroRubPer1m}`,
        completion_price: `${request.completionMicroRubPer1m}`,
      },
      alone: () => holdAlone(sql, request),
    })
    if (!held.isDone) throw await toDebitRefusal(sql, request, held)
    const { amountMicroRub } = request
    tellMoney(() => ({
      kind: 'hold',
      reference: requestId,
      accountId,
      label: model,
      amountMicroRub,
      balanceMicroRub: toBalanceAfter(held, -amountMicroRub),
    }))
  })
}

async function holdAlone(
  sql: Sql,
  request: HoldRequest,
): Promise<DebitFacts & { isDone: boolean }> {
  const { requestId, accountId, keyId, limit, model, amountMicroRub, leaseOwner } = request
  const { rows } = await sql.query<DebitFacts & { isDone: boolean }>({
    name: 'hold-take',
    text: HOLD,
    values: [
      ...[requestId, accountId, keyId, model, amountMicroRub],
      ...[limit.route, limit.requestsMax, limit.windowMs, leaseOwner],
      ...[request.promptMicroRubPer1m, request.completionMicroRubPer1m],
    ],
  })
  const [row] = rows
  if (row === undefined) throw new TypeError('Cannot hold: the statement returned no row')
  return row
}

/**
 * Notes that the answer is about to reach the client. Call it before the first byte.
 *
 * @param upstream Which of the model's upstreams answers.
 * @returns Whether the hold is still open. If not, nothing may be sent: its money was given back.
 */
export async function markFirstOutput(
  sql: LedgerSql,
  requestId: string,
  upstream?: string,
): Promise<boolean> {
  const marked = await run(sql, {
    subject: requestId,
    row: { kind: 'first_output', request_id: requestId, upstream },
    alone: async () => {
      const { rowCount } = await sql.query({
        name: 'hold-first-output',
        text: MARK_FIRST_OUTPUT,
        values: [requestId, upstream ?? null],
      })
      return { isDone: rowCount === 1 }
    },
  })
  return marked.isDone
}
