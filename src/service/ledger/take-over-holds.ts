/**
 * The crash rule: other processes take over the holds whose lease owner has ended, and end them.
 *
 * Invariants:
 * - nothing reached the client: released; something did: kept. `first_output_at` decides, because it is
 *   committed before the first byte goes out;
 * - each hold is taken over once, also when several processes take over: they are ended as a request ends them
 *   (batch/run-batch.ts), and only rows that no other process is ending;
 * - a request that comes back late, with the end that it had, has that written in place of this guess;
 * - one process at a time takes over, by an advisory lock.
 */
import { isFreeSql } from '../../platform/database/instance/lease.ts'
import { BATCH_MAX } from './batch/lane.ts'
import type { OperationOutcome } from './batch/operation.ts'
import { batchSql } from './batch/run-batch.ts'
import { publishMoney } from './publish-money.ts'
import type { Sql } from './sql.ts'

const TAKE_OVER_LOCK = 0x73776570

const TAKE_OVER = batchSql(
  ['end'],
  `
  SELECT row_number() OVER ()::int AS n, 'end' AS kind, request_id,
    (CASE WHEN nothing_sent THEN 'released' ELSE 'kept' END)::service.hold_state AS end_state,
    (CASE WHEN nothing_sent THEN 'release' END)::service.entry_kind AS entry_kind,
    CASE WHEN nothing_sent THEN 0 END AS cost,
    'taken_over'::service.hold_end_reason AS end_reason, NULL::int AS prompt_tokens,
    NULL::int AS cached_prompt_tokens, NULL::int AS cache_write_tokens, NULL::int AS completion_tokens,
    NULL::int AS reasoning_tokens, NULL AS upstream, NULL::bigint AS upstream_cost, NULL::bigint AS reported_cost, NULL AS answer, NULL::int AS task_id
  FROM (
    SELECT request_id, first_output_at IS NULL AS nothing_sent
    FROM (SELECT pg_try_advisory_xact_lock(${TAKE_OVER_LOCK}) AS mine OFFSET 0) AS turn, service.hold
    WHERE turn.mine AND hold.state = 'held' AND ${isFreeSql('hold.lease_owner')}
    LIMIT ${BATCH_MAX}
    FOR UPDATE OF hold SKIP LOCKED
  ) AS taken`,
)

interface TakenOver {
  requestId: string
  accountId: number
  held: string
  endState: OperationOutcome['endState']
}

/** Ends the holds of ended processes. @returns How many of each end; none while another process does it. */
export async function takeOverHolds(sql: Sql): Promise<{ released: number; kept: number }> {
  const counts = { released: 0, kept: 0 }
  for (;;) {
    const { rows } = await sql.query<TakenOver>({ name: 'hold-take-over', text: TAKE_OVER })
    for (const { requestId, accountId, held, endState } of rows) {
      const isReleased = endState === 'released'
      counts[isReleased ? 'released' : 'kept'] += 1
      publishMoney(() => ({
        kind: isReleased ? 'release' : 'keep',
        reference: requestId,
        accountId,
        amountMicroRub: BigInt(held),
      }))
    }
    if (rows.length < BATCH_MAX) return counts
  }
}
