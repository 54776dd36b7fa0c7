/**
 * The statement that notes a callback on its order and makes the order due.
 *
 * Invariants:
 * - the note changes no state: the visit that finds it does, under the order's lease, as after a poll;
 * - the first callback of a task counts, a repeat finds its note; an order that went on is left alone;
 * - the order is found by the key in the callback's URL, so that one which comes before the answer to its
 *   creation finds it, too. A task that is not the order's changes nothing.
 */
import type { Pool } from 'pg'
import { ORDER_TABLE } from '../order/order-table.ts'

const KEY = /^[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}$/

/** @param body The callback's, which tells `taskId`. @returns Whether an order waits for it. */
export async function noteCallback(
  pool: Pick<Pool, 'query'>,
  { key, taskId, body }: { key: string; taskId: number; body: object },
): Promise<boolean> {
  if (!KEY.test(key)) return false
  const { rowCount } = await pool.query(NOTE, [key, taskId, JSON.stringify(body)])
  return rowCount === 1
}

const NOTE = `
  WITH noted AS (
    UPDATE ${ORDER_TABLE.name} SET called_back = $3, due_at = now()
    WHERE idempotency_key = $1 AND (task_id IS NULL OR task_id = $2)
      AND state IN ('submitted', 'generating') AND called_back IS NULL
    RETURNING 1
  )
  SELECT pg_notify('${ORDER_TABLE.name}', '') FROM noted`
