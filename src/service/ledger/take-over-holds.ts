/**
 * The crash rule: holds whose lease owner has ended are taken over, and ended without it.
 *
 * Invariants:
 * - nothing reached the client: released; something did: kept. `first_output_at` tells, because it is
 *   committed before the first byte goes out;
 * - each hold ends once, also when its request comes back late or several processes take over at once: the
 *   same compare-and-set as in end-hold.ts, on rows that no other process is ending;
 * - one process at a time takes over, by an advisory lock; accounts and keys are locked in the order of the
 *   ledger's batches (batch/run-batch.ts).
 */
import { isFreeSql } from '../../platform/database/lease.ts'
import type { Sql } from './sql.ts'
import { tellMoney } from './tell-money.ts'

const TAKE_OVER_LOCK = 0x73776570

const TAKE_OVER = `
  WITH turn AS MATERIALIZED (
    SELECT pg_try_advisory_xact_lock(${TAKE_OVER_LOCK}) AS mine
  ), taken AS MATERIALIZED (
    SELECT hold.request_id FROM service.hold, turn
    WHERE turn.mine AND hold.state = 'held' AND ${isFreeSql('hold.lease_owner')}
    FOR UPDATE OF hold SKIP LOCKED
  ), ended AS (
    UPDATE service.hold
    SET state = (CASE WHEN first_output_at IS NULL THEN 'released' ELSE 'kept' END)::service.hold_state,
        cost_micro_rub = CASE WHEN first_output_at IS NULL THEN 0 ELSE amount_micro_rub END,
        ended_at = now()
    FROM taken
    WHERE hold.request_id = taken.request_id AND hold.state = 'held'
    RETURNING hold.request_id, hold.account_id, hold.key_id, hold.amount_micro_rub, hold.state
  ), entry AS (
    INSERT INTO service.entry (account_id, kind, amount_micro_rub, hold_id, key_id)
    SELECT account_id, 'release', amount_micro_rub, request_id, key_id FROM ended
    WHERE state = 'released'
  ), payer AS (
    SELECT id FROM service.account
    WHERE id = ANY(ARRAY(SELECT account_id FROM ended WHERE state = 'released'))
    ORDER BY id FOR UPDATE
  ), paying_key AS (
    SELECT public_id FROM service.api_key
    WHERE public_id = ANY(ARRAY(SELECT key_id FROM ended WHERE state = 'released'))
      AND account_id = ANY(ARRAY(SELECT id FROM payer))
    ORDER BY public_id FOR UPDATE
  ), given_back AS (
    UPDATE service.account SET balance_micro_rub = balance_micro_rub + back.amount
    FROM payer JOIN (
      SELECT account_id, SUM(amount_micro_rub)::bigint AS amount FROM ended
      WHERE state = 'released' GROUP BY account_id
    ) AS back ON back.account_id = payer.id
    WHERE account.id = payer.id
  ), key_given_back AS (
    UPDATE service.api_key SET spent_micro_rub = spent_micro_rub - back.amount
    FROM paying_key JOIN (
      SELECT key_id, SUM(amount_micro_rub)::bigint AS amount FROM ended
      WHERE state = 'released' GROUP BY key_id
    ) AS back ON back.key_id = paying_key.public_id
    WHERE api_key.public_id = paying_key.public_id
  )
  SELECT request_id AS reference, account_id AS "accountId", amount_micro_rub AS amount,
         state = 'released' AS "isReleased"
  FROM ended`

interface TakenOver {
  reference: string
  accountId: number
  amount: string
  isReleased: boolean
}

/** Ends the holds of ended processes. @returns How many of each end; none while another process does it. */
export async function takeOverHolds(sql: Sql): Promise<{ released: number; kept: number }> {
  const { rows } = await sql.query<TakenOver>({ name: 'hold-take-over', text: TAKE_OVER })
  for (const { reference, accountId, amount, isReleased } of rows) {
    tellMoney(() => ({
      kind: isReleased ? 'release' : 'keep',
      reference,
      accountId,
      amountMicroRub: BigInt(amount),
    }))
  }
  const released = rows.filter(({ isReleased }) => isReleased).length
  return { released, kept: rows.length - released }
}
