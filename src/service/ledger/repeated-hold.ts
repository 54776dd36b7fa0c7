/**
 * A plain chat that is asked for again with its idempotency key.
 *
 * Invariants:
 * - of an account's holds one has the key, by a unique index: of requests that race with it one takes money;
 * - its answer is stored by the statement that charges it (end-hold.ts), so that who paid finds it;
 * - a request that was given back has no key any more, and the next one with it is as the first. One that another
 *   process gave back by a guess (take-over-holds.ts) keeps it, for its own end may come late and take the place of the
 *   guess; where a repeat comes before that, the guess becomes the truth, and the late end finds nothing to end.
 */
import { IdempotencyKeyReusedError, RequestUnderWayError } from './errors.ts'
import type { Sql } from './sql.ts'

/** What makes a request repeatable. */
export interface Repeatable {
  idempotencyKey: string
  requestHash: string
}

interface First {
  state: 'held' | 'settled' | 'released' | 'kept'
  /** Its client left before there was an answer. */
  isLeft: boolean
  isSame: boolean
  answer: Buffer | null
}

const FIND_FIRST = `
  SELECT state, state = 'settled' AND end_reason = 'left' AS "isLeft", request_hash = $3 AS "isSame", answer
  FROM service.hold
  WHERE account_id = $1 AND idempotency_key = $2`

const FREE = `
  UPDATE service.hold
  SET idempotency_key = NULL, end_reason = CASE state WHEN 'released' THEN 'withdrawn' ELSE end_reason END
  WHERE account_id = $1 AND idempotency_key = $2
    AND (state = 'released' OR state = 'settled' AND end_reason = 'left')`

/**
 * Finds what became of the first request with the same idempotency key.
 *
 * @returns Its answer; undefined if it has none and never will: the key is free.
 * @throws {IdempotencyKeyReusedError} If it asked for something else.
 * @throws {RequestUnderWayError} If it has no answer yet.
 */
export async function findFirstAnswer(
  sql: Sql,
  accountId: number,
  { idempotencyKey, requestHash }: Repeatable,
): Promise<object | undefined> {
  const { rows } = await sql.query<First>({
    name: 'hold-find-first',
    text: FIND_FIRST,
    values: [accountId, idempotencyKey, requestHash],
  })
  const [first] = rows
  if (first === undefined) return undefined
  if (first.state === 'released' || first.isLeft) {
    await sql.query({ name: 'hold-free-key', text: FREE, values: [accountId, idempotencyKey] })
    return undefined
  }
  if (!first.isSame) throw new IdempotencyKeyReusedError()
  if (first.answer === null) throw new RequestUnderWayError()
  return JSON.parse(first.answer.toString())
}
