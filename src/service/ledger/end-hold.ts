/**
 * The three ends of a hold: settled on real usage, released whole, or kept as it was.
 *
 * Invariant: a hold ends once. Each end is one statement that compares and sets `state = 'held'` and
 * moves the money of that row only; a second end finds no row and moves nothing. Settled and
 * released write exactly one entry, also of 0 when the estimate was exact, so that an end can be read
 * from the entries; kept moves no money and writes none.
 */
import type { Sql } from './sql.ts'

const SETTLE = `
  WITH ended AS (
    UPDATE service.hold
    SET state = 'settled', cost_micro_rub = $2::bigint, prompt_tokens = $3, completion_tokens = $4,
        ended_at = now()
    WHERE request_id = $1 AND state = 'held'
    RETURNING request_id, account_id, amount_micro_rub - $2::bigint AS difference
  ), entry AS (
    INSERT INTO service.entry (account_id, kind, amount_micro_rub, hold_id)
    SELECT account_id, 'settlement', difference, request_id FROM ended
  )
  UPDATE service.account SET balance_micro_rub = balance_micro_rub + ended.difference
  FROM ended WHERE account.id = ended.account_id`

const RELEASE = `
  WITH ended AS (
    UPDATE service.hold SET state = 'released', cost_micro_rub = 0, ended_at = now()
    WHERE request_id = $1 AND state = 'held'
    RETURNING request_id, account_id, amount_micro_rub
  ), entry AS (
    INSERT INTO service.entry (account_id, kind, amount_micro_rub, hold_id)
    SELECT account_id, 'release', amount_micro_rub, request_id FROM ended
  )
  UPDATE service.account SET balance_micro_rub = balance_micro_rub + ended.amount_micro_rub
  FROM ended WHERE account.id = ended.account_id`

const KEEP = `
  UPDATE service.hold SET state = 'kept', cost_micro_rub = amount_micro_rub, ended_at = now()
  WHERE request_id = $1 AND state = 'held'`

export interface Settlement {
  requestId: string
  /** Millionths of a rouble, >= 0. Above the hold the rest is charged too, even below zero. */
  costMicroRub: bigint
  usage: { promptTokens: number; completionTokens: number }
}

/**
 * Corrects a hold to what the answer really cost.
 *
 * @returns Whether it did; false if the hold had already ended.
 */
export async function settle(
  sql: Sql,
  { requestId, costMicroRub, usage }: Settlement,
): Promise<boolean> {
  if (costMicroRub < 0n) throw new RangeError('Cannot settle hold: the cost is negative')
  const settled = await sql.query({
    name: 'hold-settle',
    text: SETTLE,
    values: [requestId, costMicroRub, usage.promptTokens, usage.completionTokens],
  })
  return settled.rowCount === 1
}

/**
 * Gives a hold back whole: nothing of the answer was delivered.
 *
 * @returns Whether it did; false if the hold had already ended.
 */
export async function release(sql: Sql, requestId: string): Promise<boolean> {
  const released = await sql.query({ name: 'hold-release', text: RELEASE, values: [requestId] })
  return released.rowCount === 1
}

/**
 * Lets the estimate stand: the answer was delivered in part.
 *
 * @returns Whether it did; false if the hold had already ended.
 */
export async function keep(sql: Sql, requestId: string): Promise<boolean> {
  const kept = await sql.query({ name: 'hold-keep', text: KEEP, values: [requestId] })
  return kept.rowCount === 1
}
