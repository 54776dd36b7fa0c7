import { startOfDaySql } from './days.ts'
import type { Sql } from './sql.ts'

/** What moved an account's balance, as it stands now: one line for an adjustment, request, task or folded day. */
export interface HistoryLine {
  /** A request's id, `task 7`, `credit 3`, `debit 4` or `day 2026-11-22 …`. */
  id: string
  createdAt: Date
  kind: 'credit' | 'debit' | 'request' | 'task' | 'day'
  /** The signed change of the balance. */
  amountMicroRub: bigint
  balanceMicroRub: bigint
  /** How a request or task stands: its end, or `held` or `charged`. */
  state: string | undefined
  keyId: string | undefined
  note: string | undefined
  reference: string | undefined
  model: string | undefined
  /** The tokens of a request that has ended, or of a folded day. */
  tokens: { prompt: number; completion: number } | undefined
}

/** A page of lines, newest first. */
export interface AccountHistoryPage {
  accountId: number
  linesMax: number
  beforeId?: string | undefined
  /** First and last day, `2026-11-22`, as the time zone has them. */
  fromDay?: string | undefined
  toDay?: string | undefined
  timeZone: string
}

// A balance is today's less what came later: from the newest line back to the page.
const READ = `
  WITH line AS (
    SELECT CASE WHEN amount_micro_rub > 0 THEN 'credit ' ELSE 'debit ' END || id AS id, created_at,
      CASE WHEN amount_micro_rub > 0 THEN 'credit' ELSE 'debit' END AS kind, amount_micro_rub AS amount,
      NULL AS state, NULL AS key_id, note, reference, NULL AS model, NULL::bigint AS prompt, NULL::bigint AS completion
    FROM service.adjustment WHERE account_id = $1
    UNION ALL
    SELECT id::text, created_at, 'request', -COALESCE(cost_micro_rub, held_micro_rub), COALESCE(end_state::text, 'held'),
      key_id, NULL, NULL, model, prompt_tokens, completion_tokens
    FROM service.request WHERE account_id = $1
    UNION ALL
    -- A price label begins with the model's name.
    SELECT 'task ' || id, created_at, 'task', CASE status WHEN 'fail' THEN 0 ELSE -price_micro_rub END,
      CASE status WHEN 'fail' THEN 'refunded' ELSE 'charged' END, key_id, NULL, NULL, split_part(label, '-', 1), NULL, NULL
    FROM service.task WHERE account_id = $1
    UNION ALL
    SELECT concat_ws(' ', 'day', day, model, key_id), day::timestamp AT TIME ZONE 'UTC', 'day', -cost_micro_rub, 'folded',
      key_id, requests || ' requests', NULL, model, prompt_tokens, completion_tokens
    FROM service.day_sum WHERE account_id = $1
  ), summed AS (
    SELECT *, (SELECT balance_micro_rub FROM service.account WHERE id = $1)
      - sum(amount) OVER (ORDER BY created_at DESC, id DESC) + amount AS balance
    FROM line
  )
  SELECT id, created_at AS "createdAt", kind, amount, balance::bigint, state, key_id AS "keyId", note, reference, model,
    prompt, completion
  FROM summed
  WHERE ($2::text IS NULL OR (created_at, id) < (SELECT created_at, id FROM line WHERE id = $2))
    AND ($3::date IS NULL OR created_at >= ${startOfDaySql({ day: '$3', timeZone: '$5' })})
    AND ($4::date IS NULL OR created_at < ${startOfDaySql({ day: '$4::date + 1', timeZone: '$5' })})
  ORDER BY created_at DESC, id DESC LIMIT $6`

type Nullable = 'state' | 'keyId' | 'note' | 'reference' | 'model'
type HistoryRow = Pick<HistoryLine, 'id' | 'createdAt' | 'kind'> &
  Record<Nullable | 'prompt' | 'completion', string | null> & { amount: string; balance: string }

/** @returns Lines of the account, newest first, all as they are at one moment. */
export async function readAccountHistory(
  sql: Sql,
  { accountId, linesMax, beforeId, fromDay, toDay, timeZone }: AccountHistoryPage,
): Promise<HistoryLine[]> {
  const values = [accountId, beforeId, fromDay, toDay, timeZone, linesMax]
  const { rows } = await sql.query<HistoryRow>(READ, values)
  return rows.map(({ id, createdAt, kind, amount, balance, prompt, completion, ...row }) => ({
    id,
    createdAt,
    kind,
    amountMicroRub: BigInt(amount),
    balanceMicroRub: BigInt(balance),
    state: row.state ?? undefined,
    keyId: row.keyId ?? undefined,
    note: row.note ?? undefined,
    reference: row.reference ?? undefined,
    model: row.model ?? undefined,
    tokens:
      prompt === null || completion === null
        ? undefined
        : { prompt: Number(prompt), completion: Number(completion) },
  }))
}
