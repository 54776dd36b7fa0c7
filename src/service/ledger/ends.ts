/**
 * The ends of chat requests: settled on real usage, released in full, or captured at the estimate.
 *
 * Invariants: a request ends once, and its end moves the difference to what was held, on its account and on a key
 * with a limit. An end that was guessed at take-over is replaced by the real end, once; only a request without output
 * is not captured after all.
 * The crash rule: open requests of a dead process are captured if output began, else released.
 */
import { isFreeSql } from '../../platform/database/instance/instance.ts'
import { BATCH_MAX, SKIPPED, UNUSUAL } from './batcher.ts'
import type { PricedTokens } from './price-tokens.ts'
import {
  findRow,
  inTransaction,
  lockAccount,
  type Pool,
  readRows,
  type Sql,
  Unnest,
} from './sql.ts'

export type EndState = 'settled' | 'released' | 'captured'

export type EndReason =
  | 'usage' // By the usage that the provider reported.
  | 'counted' // It reported none: the tokens were counted here.
  | 'disbelieved' // Its usage cannot be true: the hold was charged.
  | 'broken' // The answer broke off after its first output.
  | 'left' // The client left.
  | 'failed' // There was no answer.
  | 'withdrawn' // The hold may not have been taken, or another request has its idempotency key.
  | 'taken_over' // The process ended before the request did.

export interface HoldEnd {
  accountId: number
  requestId: string
  state: EndState
  reason: EndReason
  /** Of a settled request, millionths of a rouble, >= 0. What is above the hold is charged too, even below zero. */
  costMicroRub?: bigint | undefined
  reportedCostMicroRub?: bigint | undefined
  usage?: PricedTokens | undefined
  upstream?: string | undefined
  answer?: object | undefined
}

/** An end whose state the crash rule may decide. */
export type AskedEnd = Omit<HoldEnd, 'state'> & { state: EndState | undefined }

export interface EndOutcome {
  /** False if the request has ended before, or is not there: nothing was changed. */
  isStored: boolean
  state: EndState | undefined
  /** What the account got back; below 0 what it paid on top. */
  backMicroRub: bigint
}

const ENDS = new Unnest<AskedEnd>({
  account_id: ['int', ({ accountId }) => accountId],
  id: ['uuid', ({ requestId }) => requestId],
  state: ['service.request_end', ({ state }) => state],
  reason: ['service.end_reason', ({ reason }) => reason],
  cost: ['bigint', ({ costMicroRub }) => costMicroRub],
  upstream: ['text', ({ upstream }) => upstream],
  reported_cost_micro_rub: ['bigint', (end) => end.reportedCostMicroRub],
  prompt_tokens: ['int', ({ usage }) => usage?.promptTokens],
  cached_tokens: ['int', ({ usage }) => usage?.cachedTokens],
  cache_write_tokens: ['int', ({ usage }) => usage?.cacheWriteTokens],
  completion_tokens: ['int', ({ usage }) => usage?.completionTokens],
  reasoning_tokens: ['int', ({ usage }) => usage?.reasoningTokens],
  answer: ['bytea', ({ answer }) => answer && Buffer.from(JSON.stringify(answer))],
})
const FACTS = ENDS.columns.slice(6)

const STATE = `COALESCE(asked.state, CASE WHEN output_at IS NULL THEN 'released' ELSE 'captured' END::service.request_end)`

const SET = `
  ended_at = now(), end_state = ${STATE}, end_reason = reason,
  cost_micro_rub = CASE ${STATE} WHEN 'settled' THEN cost WHEN 'captured' THEN held_micro_rub ELSE 0 END,
  upstream = COALESCE(asked.upstream, request.upstream), ${FACTS.map((fact) => `${fact} = asked.${fact}`).join(', ')},
  taken_over_at = CASE reason WHEN 'taken_over' THEN now() ELSE taken_over_at END,
  -- Another request may have the key then; after a guess it may have it once the guess is the truth (holds.ts).
  idempotency_key = CASE WHEN ${STATE} = 'released' AND reason <> 'taken_over' THEN NULL ELSE idempotency_key END`

const MAY_END = `
  (ended_at IS NULL OR end_reason = 'taken_over' AND reason <> 'taken_over'
    AND NOT (end_state = 'released' AND asked.state = 'captured'))`

/** What was charged before less what is charged now. */
const BACK = `
  CASE WHEN reason <> 'taken_over' AND taken_over_at IS NOT NULL AND output_at IS NULL THEN 0 ELSE held_micro_rub END
    - cost_micro_rub AS back`

/** Runs in a transaction that has locked the account: the key's limit is that of this moment. */
const PAY_KEY = `, key_paid AS (
    UPDATE service.api_key SET spent_micro_rub = spent_micro_rub - back
    FROM ended WHERE public_id = key_id AND spend_limit_micro_rub IS NOT NULL
  )`

const endSql = (lock: string, { isSingle = false } = {}) => `
  WITH asked AS (SELECT * FROM ${ENDS.sql}), free AS (
    SELECT id, limited_keys FROM service.account WHERE id = ANY ($1) ORDER BY id ${lock}
  ), ended AS (
    UPDATE service.request SET ${SET} FROM asked JOIN free ON free.id = asked.account_id
    WHERE request.account_id = asked.account_id AND request.id = asked.id AND ${MAY_END}
      ${isSingle ? '' : 'AND key_id <> ALL (limited_keys)'}
    RETURNING request.account_id, request.id, key_id, end_state, ${BACK}
  ), paid AS (
    UPDATE service.account SET balance_micro_rub = balance_micro_rub + sums.back
    FROM (SELECT account_id, sum(back)::bigint AS back FROM ended GROUP BY account_id) AS sums
    WHERE account.id = sums.account_id
  )${isSingle ? PAY_KEY : ''}
  SELECT asked.id, free.id IS NOT NULL AS "isFree", end_state AS state, back
  FROM asked LEFT JOIN free ON free.id = asked.account_id LEFT JOIN ended ON ended.id = asked.id`

const END = {
  free: { name: 'end-batch', text: endSql('FOR UPDATE SKIP LOCKED') },
  locked: { name: 'end-waiting', text: endSql('FOR UPDATE') },
  single: { name: 'end-single', text: endSql('', { isSingle: true }) },
}

interface EndRow {
  id: string
  isFree: boolean
  state: EndState | null
  back: bigint | null
}

async function readEnds(sql: Sql, of: keyof typeof END, ends: readonly AskedEnd[]) {
  const { text, name } = END[of]
  return await readRows<EndRow>(sql, text, ENDS.valuesOf(ends), name)
}

/** Ends open requests whose key has no limit. */
export async function endBatch(
  sql: Sql,
  ends: readonly AskedEnd[],
  waits: boolean,
): Promise<(EndOutcome | typeof SKIPPED | typeof UNUSUAL)[]> {
  // The statement would store either of two ends of one request.
  const firsts = new Map(ends.toReversed().map((end) => [end.requestId, end]))
  const rows = await readEnds(sql, waits ? 'locked' : 'free', [...firsts.values()])
  const found = new Map(rows.map((row) => [row.id, row]))
  return ends.map((end) => {
    const row = found.get(end.requestId)
    if (row?.isFree !== true || firsts.get(end.requestId) !== end) return SKIPPED
    return toOutcome(row) ?? UNUSUAL
  })
}

/** Ends a request whatever its key has, or reads how it had ended. */
export async function endSingle(pool: Pool, end: AskedEnd): Promise<EndOutcome> {
  return await inTransaction(pool, async (sql) => {
    await lockAccount(sql, end.accountId)
    const [row] = await readEnds(sql, 'single', [end])
    const outcome = row && toOutcome(row)
    if (outcome !== undefined) return outcome
    const text = 'SELECT end_state AS state FROM service.request WHERE account_id = $1 AND id = $2'
    const values = [end.accountId, end.requestId]
    const ended = await findRow<{ state: EndState | null }>(sql, text, values)
    return { isStored: false, state: ended?.state ?? undefined, backMicroRub: 0n }
  })
}

function toOutcome({ state, back }: EndRow): EndOutcome | undefined {
  return state === null ? undefined : { isStored: true, state, backMicroRub: back ?? 0n }
}

export interface FirstOutput {
  accountId: number
  requestId: string
  upstream: string | undefined
}

const OUTPUTS = new Unnest<FirstOutput>({
  account_id: ['int', ({ accountId }) => accountId],
  id: ['uuid', ({ requestId }) => requestId],
  upstream: ['text', ({ upstream }) => upstream],
})

const MARK = `
  UPDATE service.request SET output_at = COALESCE(output_at, now()), upstream = asked.upstream FROM ${OUTPUTS.sql}
  WHERE request.account_id = asked.account_id AND request.id = asked.id AND ended_at IS NULL
  RETURNING request.id`

/** Records that output is about to go out. Returns for each whether the request is open. */
export async function markOutputs(sql: Sql, outputs: readonly FirstOutput[]): Promise<boolean[]> {
  const values = OUTPUTS.valuesOf(outputs)
  const { rows } = await sql.query<{ id: string }>({ name: 'mark-output', text: MARK, values })
  const marked = new Set(rows.map(({ id }) => id))
  return outputs.map(({ requestId }) => marked.has(requestId))
}

export async function findLeft(sql: Sql): Promise<Pick<HoldEnd, 'accountId' | 'requestId'>[]> {
  const text = `SELECT account_id AS "accountId", id AS "requestId" FROM service.request
    WHERE ended_at IS NULL AND ${isFreeSql('lease_owner')} LIMIT ${BATCH_MAX}`
  return (await sql.query(text)).rows
}
