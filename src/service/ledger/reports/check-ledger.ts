/**
 * Checks that the ledger is as it promises, from its rows.
 *
 * The view `service.ledger_fault` has the promises about money: one row where a balance is not the sum of its
 * entries, a key's spend not that of its own, or the entries of a hold or a task not those of its end. Here
 * the crash rule is added: what an ended process had under way does not stay open.
 */
import { isEndedSql } from '../../../platform/database/instance/lease.ts'
import type { EndReason } from '../batch/operation.ts'
import type { Sql } from '../sql.ts'

const FAULTS_MAX = 1_000

/** While a process of the service lives, it takes over what others leave within a minute (`src/platform/database/instance/sweep.ts`). */
const TAKE_OVER_INTERVAL = "interval '10 minutes'"

/** The promise that is broken: about a balance, a key's spend, the entries of a hold or a task, or one left open. */
export type LedgerRule = 'balance' | 'key' | 'hold' | 'task' | 'open_hold' | 'open_task'

/** One row where the ledger is not as it promises. */
export interface LedgerFault {
  accountId: number
  accountName: string
  rule: LedgerRule
  subject: string | null
  wantedMicroRub: bigint | null
  foundMicroRub: bigint | null
}

/** Chats that did not cost what a provider reported, all that ended in one way for one reason. */
export interface EstimatedChats {
  state: 'settled' | 'kept'
  /** Null: an older version did not record it. */
  reason: EndReason | null
  chats: number
  costMicroRub: bigint
}

export interface LedgerCheck {
  accounts: number
  entries: number
  /** What was charged by an estimate, the dearest first. It is no fault. */
  estimated: EstimatedChats[]
  faultCount: number
  faults: LedgerFault[]
}

// Without a process of the service none could have taken over.
const CHECK = `
  WITH serving AS (
    SELECT FROM public.instance WHERE 'service' = ANY (works) LIMIT 1
  ), fault AS MATERIALIZED (
    SELECT * FROM service.ledger_fault
    UNION ALL
    SELECT account_id, 'open_hold', request_id::text, NULL, NULL FROM service.hold, serving
    WHERE state = 'held' AND ${isEndedSql('lease_owner')}
      AND created_at < now() - ${TAKE_OVER_INTERVAL}
    UNION ALL
    SELECT account_id, 'open_task', id::text, NULL, NULL FROM service.task, serving
    WHERE ended_at IS NULL AND ${isEndedSql('lease_owner')}
      AND due_at < now() - ${TAKE_OVER_INTERVAL}
  )
  SELECT (SELECT count(*) FROM service.account)::int AS accounts,
    (SELECT count(*) FROM service.entry)::float8 AS entries,
    (SELECT coalesce(json_agg(listed), '[]') FROM (
      SELECT state, end_reason AS reason, count(*)::int AS chats, sum(cost_micro_rub)::text AS cost
      FROM service.hold
      WHERE state = 'kept' OR state = 'settled' AND end_reason <> 'usage'
      GROUP BY state, end_reason ORDER BY sum(cost_micro_rub) DESC, state, end_reason
    ) AS listed) AS estimated,
    (SELECT count(*) FROM fault)::int AS "faultCount",
    (SELECT coalesce(json_agg(listed), '[]') FROM (
      SELECT account_id AS "accountId", name AS "accountName", rule, subject,
        wanted_micro_rub::text AS wanted, found_micro_rub::text AS found
      FROM fault LEFT JOIN service.account ON account.id = account_id
      ORDER BY account_id, rule, subject LIMIT ${FAULTS_MAX}
    ) AS listed) AS faults`

type FaultRow = Omit<LedgerFault, 'wantedMicroRub' | 'foundMicroRub'> & {
  wanted: string | null
  found: string | null
}

type EstimatedRow = Omit<EstimatedChats, 'costMicroRub'> & { cost: string }

type CheckRow = Omit<LedgerCheck, 'faults' | 'estimated'> & {
  faults: FaultRow[]
  estimated: EstimatedRow[]
}

/** Looks at every entry: seconds for a million. One statement, which sees one moment; it reads only. */
export async function checkLedger(sql: Sql): Promise<LedgerCheck> {
  const { rows } = await sql.query<CheckRow>(CHECK)
  const [row] = rows
  if (row === undefined) throw new TypeError('Cannot check ledger: the statement returned no row')
  const { faults, estimated } = row
  return { ...row, faults: faults.map(toFault), estimated: estimated.map(toEstimated) }
}

/** Keeps what a check found, for `readLastCheck()`. */
export async function keepCheck(sql: Sql, { faultCount }: LedgerCheck): Promise<void> {
  await sql.query('UPDATE service.ledger_check SET checked_at = now(), faults = $1', [faultCount])
}

/** The last check of any process. */
export interface LastCheck {
  checkedAt: Date
  faults: number
}

/** @returns Undefined before the first one. */
export async function readLastCheck(sql: Sql): Promise<LastCheck | undefined> {
  const { rows } = await sql.query<LastCheck>({
    name: 'ledger-last-check',
    text: `SELECT checked_at AS "checkedAt", faults FROM service.ledger_check
           WHERE checked_at IS NOT NULL`,
  })
  return rows[0]
}

function toEstimated({ cost, ...chats }: EstimatedRow): EstimatedChats {
  return { ...chats, costMicroRub: BigInt(cost) }
}

function toFault({ wanted, found, ...fault }: FaultRow): LedgerFault {
  return {
    ...fault,
    wantedMicroRub: wanted === null ? null : BigInt(wanted),
    foundMicroRub: found === null ? null : BigInt(found),
  }
}
