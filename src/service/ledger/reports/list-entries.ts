import type { Sql } from '../sql.ts'
import { startOfDaySql } from './days.ts'

/** One movement of an account's money. */
export interface ListedEntry {
  id: bigint
  createdAt: Date
  kind: 'credit' | 'debit' | 'hold' | 'settlement' | 'release' | 'charge' | 'refund'
  /** The signed change of the balance. */
  amountMicroRub: bigint
  balanceMicroRub: bigint
  requestId: string | undefined
  taskId: number | undefined
  keyId: string | undefined
  note: string | undefined
  reference: string | undefined
  model: string | undefined
  /** What a chat was charged for. Only its end has them, so that they can be summed up. */
  tokens: { prompt: number; completion: number } | undefined
}

/** A page of entries, newest first. */
export interface EntriesPage {
  accountId: number
  entriesMax: number
  beforeId?: bigint | undefined
  /** First and last day, `2026-11-22`, as the time zone has them. */
  fromDay?: string | undefined
  toDay?: string | undefined
  timeZone: string
}

// A balance is today's less the later entries: from the newest one back to the page.
const READ = `
  WITH page AS (
    SELECT id FROM service.entry
    WHERE account_id = $1 AND ($2::bigint IS NULL OR id < $2)
      AND ($3::date IS NULL OR created_at >= ${startOfDaySql({ day: '$3', timeZone: '$5' })})
      AND ($4::date IS NULL OR created_at < ${startOfDaySql({ day: '$4::date + 1', timeZone: '$5' })})
    ORDER BY id DESC LIMIT $6
  ), later AS (
    SELECT id, sum(amount_micro_rub) OVER (ORDER BY id DESC) - amount_micro_rub AS amount
    FROM service.entry WHERE account_id = $1 AND id >= (SELECT min(id) FROM page)
  )
  SELECT page.id, entry.created_at, kind, entry.amount_micro_rub, hold_id, task_id, entry.key_id, note, reference,
         -- A price label begins with the model's name.
         COALESCE(hold.model, split_part(task.label, '-', 1)) AS model,
         CASE kind WHEN 'settlement' THEN hold.prompt_tokens END AS prompt_tokens,
         CASE kind WHEN 'settlement' THEN hold.completion_tokens END AS completion_tokens,
         ((SELECT balance_micro_rub FROM service.account WHERE id = $1) - later.amount)::bigint AS balance
  FROM page JOIN later USING (id) JOIN service.entry USING (id)
    LEFT JOIN service.hold ON hold.request_id = entry.hold_id
    LEFT JOIN service.task ON task.id = entry.task_id
  ORDER BY page.id DESC`

/** @returns Entries of the account, newest first, all as they are at one moment. */
export async function listEntries(
  sql: Sql,
  { accountId, entriesMax, beforeId, fromDay, toDay, timeZone }: EntriesPage,
): Promise<ListedEntry[]> {
  const { rows } = await sql.query<{
    id: string
    created_at: Date
    kind: ListedEntry['kind']
    amount_micro_rub: string
    balance: string
    hold_id: string | null
    task_id: number | null
    key_id: string | null
    note: string | null
    reference: string | null
    model: string | null
    prompt_tokens: number | null
    completion_tokens: number | null
  }>(READ, [accountId, beforeId, fromDay, toDay, timeZone, entriesMax])
  return rows.map((row) => ({
    id: BigInt(row.id),
    createdAt: row.created_at,
    kind: row.kind,
    amountMicroRub: BigInt(row.amount_micro_rub),
    balanceMicroRub: BigInt(row.balance),
    requestId: row.hold_id ?? undefined,
    taskId: row.task_id ?? undefined,
    keyId: row.key_id ?? undefined,
    note: row.note ?? undefined,
    reference: row.reference ?? undefined,
    model: row.model ?? undefined,
    tokens:
      row.prompt_tokens === null || row.completion_tokens === null
        ? undefined
        : { prompt: row.prompt_tokens, completion: row.completion_tokens },
  }))
}
