/**
 * The ends of chat requests: settled on real usage, released in full, or captured at the estimate.
 *
 * In: ends of requests. Out: whether each is stored.
 * Invariants: a request ends once, and its end moves the difference to what was held, on its account and on a key
 * with a limit. An end that was guessed at take-over is replaced by the real end, once; only a request without output
 * is not captured after all.
 * The crash rule: open requests of a dead process are captured if output began, else released.
 */
import { isFreeSql } from '../../platform/database/instance/lease.ts'
import { BATCH_MAX, SKIPPED, UNUSUAL } from './lane.ts'
import type { PricedTokens } from './price-tokens.ts'
import { inTransaction, type Pool, type Sql } from './sql.ts'

export type EndState = 'settled' | 'released' | 'captured'

/**
 * Why a request ended as it did.
 *
 * `usage`: charged by the usage that the provider reported. `counted`: it reported none, the tokens were counted here.
 * `disbelieved`: its usage cannot be true, the hold was charged. `broken`: the answer broke off after its first output.
 * `left`: the client left. `failed`: there was no answer. `withdrawn`: refused, since the hold may not have been taken;
 * or taken over, and its idempotency key is another request's. `taken_over`: its process ended before it did.
 */
export type EndReason =
  | 'usage'
  | 'counted'
  | 'disbelieved'
  | 'broken'
  | 'left'
  | 'failed'
  | 'withdrawn'
  | 'taken_over'

export interface HoldEnd {
  accountId: number
  requestId: string
  state: EndState
  reason: EndReason
  /** Of a settled request, millionths of a rouble, >= 0. What is above the hold is charged too, even below zero. */
  costMicroRub?: bigint | undefined
  upstreamCostMicroRub?: bigint | undefined
  /** What the provider says that it charges, converted. */
  reportedCostMicroRub?: bigint | undefined
  usage?: PricedTokens | undefined
  upstream?: string | undefined
  answer?: object | undefined
}

/** What became of an end. */
export interface EndOutcome {
  /** False if the request has ended before, or is not there: nothing was changed. */
  isStored: boolean
  /** The end that the request has. */
  state: EndState | undefined
  /** What the account got back; below 0 what it paid on top. */
  backMicroRub: bigint
}

/** One row for each end. Without a state the crash rule decides. */
const ASKED = `
  SELECT * FROM unnest($1::int[], $2::uuid[], $3::service.request_end[], $4::service.end_reason[], $5::bigint[],
    $6::bigint[], $7::bigint[], $8::int[], $9::int[], $10::int[], $11::int[], $12::int[], $13::text[], $14::bytea[])
    AS asked (account_id, id, state, reason, cost, upstream_cost, reported_cost, prompt, cached, cache_write, completion,
      reasoning, upstream, answer)`

const STATE = `COALESCE(asked.state, CASE WHEN output_at IS NULL THEN 'released' ELSE 'captured' END::service.request_end)`

const SET = `
  SET ended_at = now(), end_state = ${STATE}, end_reason = reason,
    cost_micro_rub = CASE ${STATE} WHEN 'settled' THEN cost WHEN 'captured' THEN held_micro_rub ELSE 0 END,
    upstream_cost_micro_rub = upstream_cost, reported_cost_micro_rub = reported_cost, prompt_tokens = prompt,
    cached_tokens = cached, cache_write_tokens = cache_write, completion_tokens = completion,
    reasoning_tokens = reasoning, upstream = COALESCE(asked.upstream, request.upstream), answer = asked.answer,
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

const PAY_BACK = `
  UPDATE service.account SET balance_micro_rub = balance_micro_rub + sums.back
  FROM (SELECT account_id, sum(back)::bigint AS back FROM ended GROUP BY account_id) AS sums
  WHERE account.id = sums.account_id`

const END = `
  WITH asked AS (${ASKED}), free AS (
    SELECT id, limited_keys FROM service.account WHERE id = ANY ($1) ORDER BY id FOR UPDATE SKIP LOCKED
  ), ended AS (
    UPDATE service.request ${SET} FROM asked JOIN free ON free.id = asked.account_id
    WHERE request.account_id = asked.account_id AND request.id = asked.id AND ${MAY_END}
      AND key_id <> ALL (limited_keys)
    RETURNING request.account_id, request.id, end_state, ${BACK}
  ), paid AS (${PAY_BACK})
  SELECT asked.id, free.id IS NOT NULL AS "isFree", end_state AS state, back
  FROM asked LEFT JOIN free ON free.id = asked.account_id LEFT JOIN ended ON ended.id = asked.id`

// The account is locked by the transaction, so that its keys and their periods are those of this moment.
const END_OF_ACCOUNT = `
  WITH asked AS (${ASKED}), ended AS (
    UPDATE service.request ${SET} FROM asked
    WHERE request.account_id = asked.account_id AND request.id = asked.id AND ${MAY_END}
    RETURNING request.account_id, request.id, key_id, counted_in, end_state, ${BACK}
  ), paid AS (${PAY_BACK}), key_paid AS (
    UPDATE service.api_key SET spent_micro_rub = spent_micro_rub - sums.back,
      period_spent_micro_rub = period_spent_micro_rub - of_period
    FROM (
      SELECT public_id, sum(back)::bigint AS back,
        COALESCE(sum(back) FILTER (WHERE counted_in = period_began_at), 0)::bigint AS of_period
      FROM ended JOIN service.api_key ON public_id = key_id
      WHERE spend_limit_micro_rub IS NOT NULL GROUP BY public_id
    ) AS sums
    WHERE api_key.public_id = sums.public_id
  )
  SELECT id, true AS "isFree", end_state AS state, back FROM ended`

interface EndRow {
  id: string
  isFree: boolean
  state: EndState | null
  back: string | null
}

type AskedEnd = Omit<HoldEnd, 'state'> & { state: EndState | null }

/** Ends requests whose account is not locked and whose key has no limit. */
export async function endBatch(
  sql: Sql,
  ends: readonly HoldEnd[],
): Promise<(EndOutcome | typeof SKIPPED | typeof UNUSUAL)[]> {
  const values = toColumns(ends)
  const { rows } = await sql.query<EndRow>({ name: 'end-batch', text: END, values })
  const found = new Map(rows.map((row) => [row.id, row]))
  return ends.map(({ requestId }) => {
    const row = found.get(requestId)
    if (row?.isFree !== true) return SKIPPED
    return row.state === null ? UNUSUAL : toOutcome(row)
  })
}

/** Ends requests of one account, whatever their key has; reads how those had ended that it did not end. */
export async function endOfAccount(
  pool: Pool,
  accountId: number,
  ends: readonly AskedEnd[],
): Promise<EndOutcome[]> {
  return await inTransaction(pool, async (sql) => {
    await sql.query({
      name: 'account-lock',
      text: 'SELECT FROM service.account WHERE id = $1 FOR UPDATE',
      values: [accountId],
    })
    const values = toColumns(ends)
    const ended = await sql.query<EndRow>({ name: 'end-account', text: END_OF_ACCOUNT, values })
    const rows = new Map(ended.rows.map((row) => [row.id, row]))
    const others = ends.filter(({ requestId }) => !rows.has(requestId))
    const before = others.length === 0 ? new Map() : await readEnds(sql, accountId, others)
    return ends.map(({ requestId }) => {
      const row = rows.get(requestId)
      if (row !== undefined) return toOutcome(row)
      return { isStored: false, state: before.get(requestId), backMicroRub: 0n }
    })
  })
}

async function readEnds(
  sql: Sql,
  accountId: number,
  ends: readonly AskedEnd[],
): Promise<Map<string, EndState | undefined>> {
  const { rows } = await sql.query<{ id: string; state: EndState | null }>(
    'SELECT id, end_state AS state FROM service.request WHERE account_id = $1 AND id = ANY ($2)',
    [accountId, ends.map(({ requestId }) => requestId)],
  )
  return new Map(rows.map(({ id, state }) => [id, state ?? undefined]))
}

function toOutcome({ state, back }: EndRow): EndOutcome {
  return { isStored: true, state: state ?? undefined, backMicroRub: BigInt(back ?? 0) }
}

function toColumns(ends: readonly AskedEnd[]): unknown[][] {
  return [
    ends.map(({ accountId }) => accountId),
    ends.map(({ requestId }) => requestId),
    ends.map(({ state }) => state),
    ends.map(({ reason }) => reason),
    ends.map(({ costMicroRub }) => costMicroRub?.toString()),
    ends.map(({ upstreamCostMicroRub: cost }) => cost?.toString()),
    ends.map(({ reportedCostMicroRub: cost }) => cost?.toString()),
    ends.map(({ usage }) => usage?.promptTokens),
    ends.map(({ usage }) => usage?.cachedTokens),
    ends.map(({ usage }) => usage?.cacheWriteTokens),
    ends.map(({ usage }) => usage?.completionTokens),
    ends.map(({ usage }) => usage?.reasoningTokens),
    ends.map(({ upstream }) => upstream),
    ends.map(({ answer }) => answer && Buffer.from(JSON.stringify(answer))),
  ]
}

/** The first output of a request. */
export interface FirstOutput {
  accountId: number
  requestId: string
  upstream: string | undefined
}

const MARK = `
  UPDATE service.request SET output_at = COALESCE(output_at, now()), upstream = asked.upstream
  FROM unnest($1::int[], $2::uuid[], $3::text[]) AS asked (account_id, id, upstream)
  WHERE request.account_id = asked.account_id AND request.id = asked.id AND ended_at IS NULL
  RETURNING request.id`

/** Records that output is about to go out. @returns For each, whether the request is open. */
export async function markOutputs(sql: Sql, outputs: readonly FirstOutput[]): Promise<boolean[]> {
  const { rows } = await sql.query<{ id: string }>({
    name: 'mark-output',
    text: MARK,
    values: [
      outputs.map(({ accountId }) => accountId),
      outputs.map(({ requestId }) => requestId),
      outputs.map(({ upstream }) => upstream),
    ],
  })
  const marked = new Set(rows.map(({ id }) => id))
  return outputs.map(({ requestId }) => marked.has(requestId))
}

const FIND_LEFT = `
  SELECT account_id AS "accountId", id AS "requestId" FROM service.request
  WHERE ended_at IS NULL AND ${isFreeSql('lease_owner')} LIMIT ${BATCH_MAX}`

/** A request that its process left open, and the end that it was given. */
export interface TakenOver {
  accountId: number
  requestId: string
  outcome: EndOutcome
}

/** Ends the requests of dead processes by the crash rule. Safe to repeat; several processes may do it at once. */
export async function takeOverRequests(
  pool: Pool,
  onEnded: (taken: TakenOver) => void,
): Promise<{ released: number; captured: number }> {
  const counts = { released: 0, captured: 0 }
  for (;;) {
    const { rows } = await pool.query<Pick<HoldEnd, 'accountId' | 'requestId'>>(FIND_LEFT)
    for (const [accountId, some] of Map.groupBy(rows, (row) => row.accountId)) {
      const ends = some.map((one) => ({ ...one, state: null, reason: 'taken_over' as const }))
      const outcomes = await endOfAccount(pool, accountId, ends)
      for (const [index, outcome] of outcomes.entries()) {
        if (!outcome.isStored) continue
        counts[outcome.state === 'captured' ? 'captured' : 'released'] += 1
        onEnded({ accountId, requestId: some[index]?.requestId ?? '', outcome })
      }
    }
    if (rows.length < BATCH_MAX) return counts
  }
}
