/** Checks the ledger: `service.ledger_fault` recomputes all balances, here the crash rule is added. */
import { isEndedSql } from '../../platform/database/instance/instance.ts'
import { findRow, readRows, type Sql } from './sql.ts'

/** The most faults that a check lists. */
export const FAULTS_MAX = 1_000

/** While a process of the service lives, it takes over what others leave within a minute (`src/platform/database/instance/sweep.ts`). */
const TAKE_OVER_INTERVAL = "interval '10 minutes'"

export type LedgerRule = 'balance' | 'key' | 'limited_key' | 'open_request' | 'open_task'

export interface LedgerFault {
  accountId: number
  accountName: string
  rule: LedgerRule
  subject: string | null
  wantedMicroRub: bigint | null
  foundMicroRub: bigint | null
}

// Without a process of the service none could have taken over.
const FAULTS = `
  WITH serving AS (
    SELECT FROM public.instance WHERE 'service' = ANY (works) LIMIT 1
  ), fault AS (
    SELECT * FROM service.ledger_fault
    UNION ALL
    SELECT account_id, 'open_request', id::text, NULL, NULL FROM service.request, serving
    WHERE ended_at IS NULL AND ${isEndedSql('lease_owner')} AND created_at < now() - ${TAKE_OVER_INTERVAL}
    UNION ALL
    SELECT account_id, 'open_task', id::text, NULL, NULL FROM service.task, serving
    WHERE ended_at IS NULL AND ${isEndedSql('lease_owner')} AND due_at < now() - ${TAKE_OVER_INTERVAL}
  )
  SELECT account_id, name AS account_name, rule, subject, wanted_micro_rub, found_micro_rub
  FROM fault LEFT JOIN service.account ON account.id = account_id
  ORDER BY account_id, rule, subject LIMIT ${FAULTS_MAX}`

/** Reads every row: a third of a second for a million. One statement looks for faults, and sees one moment. */
export async function checkLedger(sql: Sql): Promise<LedgerFault[]> {
  return await readRows<LedgerFault>(sql, FAULTS)
}

export async function storeCheck(sql: Sql, faults: readonly LedgerFault[]): Promise<void> {
  const text = 'UPDATE service.ledger_check SET checked_at = now(), faults = $1'
  await sql.query(text, [faults.length])
}

export interface LastCheck {
  checkedAt: Date
  faults: number
}

/** @returns Undefined before the first one. */
export async function readLastCheck(sql: Sql): Promise<LastCheck | undefined> {
  const text = 'SELECT checked_at, faults FROM service.ledger_check WHERE checked_at IS NOT NULL'
  return await findRow<LastCheck>(sql, text)
}
