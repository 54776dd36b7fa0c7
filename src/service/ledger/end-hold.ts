/**
 * The three ends of a hold: settled on real usage, released whole, or kept as it was.
 *
 * Invariant: a hold ends once. An end is one statement that compares and sets `state = 'held'` and moves
 * the money of that row only, on its account and on its key; a second end finds no row and moves nothing. Settled and released write
 * exactly one entry, also of 0 when the estimate was exact, so that an end can be read from the
 * entries; kept moves no money and writes none.
 */
import { inSpan } from '../../platform/tracing/span.ts'
import { type EndRow, type LedgerSql, type OperationOutcome, run } from './batch/operation.ts'
import { toBalanceAfter } from './debit.ts'
import type { Sql } from './sql.ts'
import { type MoneyMoved, tellMoney } from './tell-money.ts'

// The difference of a kept hold is 0.
const END = `
  WITH ended AS (
    UPDATE service.hold
    SET state = $2::service.hold_state, cost_micro_rub = COALESCE($3::bigint, amount_micro_rub),
        prompt_tokens = $4, completion_tokens = $5, upstream = COALESCE($7, upstream),
        ended_at = now()
    WHERE request_id = $1 AND state = 'held'
    RETURNING request_id, account_id, key_id, amount_micro_rub - cost_micro_rub AS difference
  ), entry AS (
    INSERT INTO service.entry (account_id, kind, amount_micro_rub, hold_id, key_id)
    SELECT account_id, $6::service.entry_kind, difference, request_id, key_id FROM ended
    WHERE $6::service.entry_kind IS NOT NULL
  ), corrected AS (
    UPDATE service.account SET balance_micro_rub = balance_micro_rub + ended.difference
    FROM ended WHERE account.id = ended.account_id
    RETURNING ended.key_id, ended.difference, balance_micro_rub - ended.difference AS balance
  ), key_corrected AS (
    UPDATE service.api_key SET spent_micro_rub = spent_micro_rub - corrected.difference
    FROM corrected WHERE public_id = corrected.key_id
  )
  SELECT balance, -difference AS taken FROM corrected`

const FLOWS = { settled: 'settle', released: 'release', kept: 'keep' } as const
const NAMES = { settled: 'hold-settle', released: 'hold-release', kept: 'hold-keep' } as const

export interface Settlement {
  requestId: string
  /** Millionths of a rouble, >= 0. Above the hold the rest is charged too, even below zero. */
  costMicroRub: bigint
  usage: { promptTokens: number; completionTokens: number }
  /** Which of the model's upstreams answered. */
  upstream?: string | undefined
}

/**
 * Corrects a hold to what the answer really cost.
 *
 * @returns Whether it did; false if the hold had already ended.
 */
export async function settle(
  sql: LedgerSql,
  { requestId, costMicroRub, usage, upstream }: Settlement,
): Promise<boolean> {
  if (costMicroRub < 0n) throw new RangeError('Cannot settle hold: the cost is negative')
  return await end(sql, {
    kind: 'end',
    request_id: requestId,
    end_state: 'settled',
    entry_kind: 'settlement',
    cost: `${costMicroRub}`,
    upstream,
    prompt_tokens: usage.promptTokens,
    completion_tokens: usage.completionTokens,
  })
}

/** Gives a hold back whole: nothing of the answer was delivered. Returns as `settle()` does. */
export async function release(sql: LedgerSql, requestId: string): Promise<boolean> {
  return await end(sql, {
    kind: 'end',
    request_id: requestId,
    end_state: 'released',
    entry_kind: 'release',
    cost: '0',
  })
}

/** Lets the estimate stand: the answer was delivered in part. Returns as `settle()` does. */
export async function keep(sql: LedgerSql, requestId: string): Promise<boolean> {
  return await end(sql, { kind: 'end', request_id: requestId, end_state: 'kept' })
}

async function end(sql: LedgerSql, row: EndRow): Promise<boolean> {
  const attributes = { 'kopeck.request_id': row.request_id, 'kopeck.hold_end': row.end_state }
  return await inSpan({ name: 'settlement', kind: 'internal', attributes }, async () => {
    const ended = await run(sql, { subject: row.request_id, row, alone: () => endAlone(sql, row) })
    if (ended.isDone) tellMoney(() => toFlow(row, ended))
    return ended.isDone
  })
}

type Ended = Pick<OperationOutcome, 'isDone' | 'balance' | 'taken'>

/** What is charged by a settlement and given back by a release; what a hold was that is kept, the row does not tell. */
function toFlow({ request_id, end_state, cost }: EndRow, ended: Ended): MoneyMoved {
  const taken = BigInt(ended.taken ?? 0)
  const amountMicroRub = end_state === 'settled' ? BigInt(cost ?? 0) : -taken
  return {
    kind: FLOWS[end_state],
    reference: request_id,
    ...(end_state !== 'kept' && { amountMicroRub }),
    balanceMicroRub: toBalanceAfter(ended, -taken),
  }
}

async function endAlone(sql: Sql, row: EndRow): Promise<Ended> {
  const { rowCount, rows } = await sql.query<Pick<Ended, 'balance' | 'taken'>>({
    name: NAMES[row.end_state],
    text: END,
    values: [
      ...[row.request_id, row.end_state, row.cost ?? null],
      ...[row.prompt_tokens ?? null, row.completion_tokens ?? null],
      ...[row.entry_kind ?? null, row.upstream ?? null],
    ],
  })
  const [ended] = rows
  return {
    isDone: rowCount === 1,
    balance: ended?.balance ?? null,
    taken: ended?.taken ?? null,
  }
}
