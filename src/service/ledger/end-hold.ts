/**
 * The three ends of a hold: settled on real usage, released whole, or kept as it was.
 *
 * Invariant: a hold ends once. An end is one statement (batch/run-batch.ts) that compares and sets the hold's state and
 * moves the money of that row only, on its account and on its key; a second end finds no row and moves nothing. Settled
 * and released write exactly one entry, also of 0 when the estimate was exact, so that an end can be read from the
 * entries; kept moves no money and writes none. Where another process took the hold over (take-over-holds.ts), the end
 * that its request has takes the place of that guess.
 */
import type { EndReason, EndRow, LedgerSql, OperationOutcome } from './batch/operation.ts'
import { run } from './batch/run-batch.ts'
import type { PricedTokens } from './price-tokens.ts'
import { type MoneyMoved, publishMoney } from './publish-money.ts'

const FLOWS = { settled: 'settle', released: 'release', kept: 'keep' } as const

export interface Settlement {
  requestId: string
  /** Millionths of a rouble, >= 0. Above the hold the rest is charged too, even below zero. */
  costMicroRub: bigint
  upstreamCostMicroRub?: bigint | undefined
  /** What the provider says that it charges, converted. */
  reportedCostMicroRub?: bigint | undefined
  usage: PricedTokens
  upstream?: string | undefined
  reason?: 'usage' | 'counted' | 'disbelieved' | 'left'
  answer?: object | undefined
}

/**
 * Corrects a hold to what the answer really cost.
 *
 * @returns True if this call ended the hold; false if it had already ended.
 */
export async function settle(sql: LedgerSql, settlement: Settlement): Promise<boolean> {
  const { requestId, costMicroRub, usage, upstream, reason = 'usage', answer } = settlement
  if (costMicroRub < 0n) throw new RangeError('Cannot settle hold: the cost is negative')
  return await end(sql, {
    kind: 'end',
    request_id: requestId,
    end_state: 'settled',
    end_reason: reason,
    entry_kind: 'settlement',
    cost: `${costMicroRub}`,
    upstream_cost: settlement.upstreamCostMicroRub?.toString(),
    reported_cost: settlement.reportedCostMicroRub?.toString(),
    upstream,
    prompt_tokens: usage.promptTokens,
    cached_prompt_tokens: usage.cachedTokens,
    cache_write_tokens: usage.cacheWriteTokens,
    completion_tokens: usage.completionTokens,
    reasoning_tokens: usage.reasoningTokens,
    answer: answer && Buffer.from(JSON.stringify(answer)).toString('base64'),
  })
}

/** Gives a hold back whole: nothing of the answer was delivered. Returns as `settle()` does. */
export async function release(
  sql: LedgerSql,
  requestId: string,
  reason: Extract<EndReason, 'failed' | 'left' | 'withdrawn'> = 'failed',
): Promise<boolean> {
  return await end(sql, {
    kind: 'end',
    request_id: requestId,
    end_state: 'released',
    end_reason: reason,
    entry_kind: 'release',
    cost: '0',
  })
}

/**
 * Lets the estimate stand: the answer was delivered in part. Returns as `settle()` does.
 *
 * @param upstreamCostMicroRub What the upstream takes for what was estimated; undefined where that is not known.
 */
export async function keep(
  sql: LedgerSql,
  requestId: string,
  reason: Extract<EndReason, 'broken' | 'left'> = 'broken',
  upstreamCostMicroRub?: bigint,
): Promise<boolean> {
  return await end(sql, {
    kind: 'end',
    request_id: requestId,
    end_state: 'kept',
    end_reason: reason,
    upstream_cost: upstreamCostMicroRub?.toString(),
  })
}

/** @returns The end that a hold has; undefined while it is open, and where there is none. */
export async function readEnd(
  sql: LedgerSql,
  requestId: string,
): Promise<EndRow['end_state'] | undefined> {
  const { rows } = await sql.query<{ state: EndRow['end_state'] | 'held' }>({
    name: 'hold-read-end',
    text: 'SELECT state FROM service.hold WHERE request_id = $1',
    values: [requestId],
  })
  const state = rows[0]?.state
  return state === 'held' ? undefined : state
}

async function end(sql: LedgerSql, row: EndRow): Promise<boolean> {
  const ended = await run(sql, { subject: row.request_id, row })
  if (ended.isDone) publishMoney(() => toFlow(row, ended))
  return ended.isDone
}

/** Has the amount that a settlement charges or a release gives back; the amount of a kept hold is not in the row. */
function toFlow({ request_id, end_state, cost }: EndRow, ended: OperationOutcome): MoneyMoved {
  const amountMicroRub = end_state === 'settled' ? BigInt(cost ?? 0) : -BigInt(ended.taken ?? 0)
  return {
    kind: FLOWS[end_state],
    reference: request_id,
    ...(end_state !== 'kept' && { amountMicroRub }),
  }
}
