import { timingSafeEqual } from 'node:crypto'
import type { Pool } from 'pg'
import { readCallback, type TaskEnd } from '../../../contract/client/read-answers.ts'
import { signCallback } from '../../../contract/tasks.ts'
import { parseJson } from '../../../platform/http/json.ts'
import { ORDER_TABLE } from '../order/order-table.ts'
import type { AccountSecret } from './account-secret.ts'

/** Older ones may come from somebody who has read one (interface document, Verification rules). */
const AGE_S_MAX = 300

/** A callback as it came. */
export interface GivenCallback {
  key: string
  timestamp: string | undefined
  signature: string | undefined
  /** The body, byte for byte. */
  body: Buffer
}

/** `unknown`: it is ours, and no order waits for it; an earlier callback or a poll may have brought its news. */
export type CallbackOutcome =
  | 'recorded'
  | 'unknown'
  | 'stale'
  | 'unsigned'
  | 'unreadable'
  /** Its signature cannot be checked now. */
  | 'secret_unknown'

/** The end of a task as a callback reports it. */
export interface ReportedEnd {
  key: string
  taskId: number
  body: object
}

export interface CallbackReceiverDeps {
  secret: AccountSecret
  record: (end: ReportedEnd) => Promise<boolean>
  /** The database's time: the clock of this machine may be wrong. */
  now: () => Promise<Date>
}

/** Makes what takes callbacks: checks one, and records what it reports for the next visit of its order. */
export function createCallbackReceiver({ secret, record, now }: CallbackReceiverDeps) {
  return receive

  async function receive(callback: GivenCallback): Promise<CallbackOutcome> {
    const { key, timestamp = '', body } = callback
    if (!(await isFresh(timestamp))) return 'stale'
    const isSigned = await secret.fits((known) => isSignedWith(known, { ...callback, timestamp }))
    if (isSigned === undefined) return 'secret_unknown'
    if (!isSigned) return 'unsigned'
    const json = parseJson(body.toString())
    const end: TaskEnd | undefined = readCallback(json)
    if (end === undefined) return 'unreadable'
    const isRecorded = await record({ key, taskId: end.taskId, body: json as object })
    return isRecorded ? 'recorded' : 'unknown'
  }

  async function isFresh(timestamp: string): Promise<boolean> {
    if (!/^\d{1,12}$/.test(timestamp)) return false
    const ageS = (await now()).getTime() / 1000 - Number(timestamp)
    return Math.abs(ageS) <= AGE_S_MAX
  }
}

function isSignedWith(
  secret: string,
  { timestamp, signature = '', body }: GivenCallback & { timestamp: string },
): boolean {
  const wanted = Buffer.from(signCallback({ secret, timestamp, body })['x-callback-signature'])
  const given = Buffer.from(signature)
  return given.length === wanted.length && timingSafeEqual(given, wanted)
}

const KEY = /^[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}$/

/**
 * Records a callback on its order and makes the order due, by one statement.
 *
 * Invariants:
 * - it changes no state: the next visit does, under the order's lease, as after a poll;
 * - the first callback of a task counts, a repeat finds it recorded; an order that went on is left alone;
 * - the order is found by the key in the callback's URL, so that a callback which comes before the answer to the
 *   creation finds it, too. A task that is not the order's changes nothing.
 *
 * @returns Whether an order waits for it.
 */
export async function recordCallback(
  pool: Pick<Pool, 'query'>,
  { key, taskId, body }: ReportedEnd,
): Promise<boolean> {
  if (!KEY.test(key)) return false
  const { rowCount } = await pool.query(RECORD, [key, taskId, JSON.stringify(body)])
  return rowCount === 1
}

const RECORD = `
  WITH recorded AS (
    UPDATE ${ORDER_TABLE.name} SET called_back = $3, due_at = now()
    WHERE idempotency_key = $1 AND (task_id IS NULL OR task_id = $2)
      AND state IN ('submitted', 'generating') AND called_back IS NULL
    RETURNING 1
  )
  SELECT pg_notify('${ORDER_TABLE.name}', '') FROM recorded`
