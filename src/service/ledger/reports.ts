/**
 * Reports from `service.movement`, the view of everything that moved a balance. A request that is under way costs its
 * hold, a released one nothing, and each counts on the day it began.
 */
import { readRow, readRows, type Sql } from './sql.ts'

/** SQL of the instant at which a day of a time zone begins, by PostgreSQL's rules: a day may have 23 hours. */
function startOfDaySql(day: string, timeZone: string): string {
  return `((${day})::date::timestamp AT TIME ZONE ${timeZone})`
}

/** Returns the instant at which a day is over. @param day `2026-11-22`. @param timeZone IANA name. */
export async function endOfDay(sql: Sql, day: string, timeZone: string): Promise<Date> {
  const text = `SELECT ${startOfDaySql('$1::date + 1', '$2')} AS at`
  return (await readRow<{ at: Date }>(sql, text, [day, timeZone])).at
}

export interface DayRange {
  from: string
  to: string
}

/** Fills in missing days: the period ends today, by the database's clock, and has `days` days. */
export async function readDayRange(
  sql: Sql,
  { from, to }: { [Day in keyof DayRange]: string | undefined },
  { days, timeZone }: { days: number; timeZone: string },
): Promise<DayRange> {
  const text = `
    SELECT COALESCE($1::date, last - $3::int + 1)::text AS "from", last::text AS "to"
    FROM (SELECT COALESCE($2::date, (now() AT TIME ZONE $4)::date) AS last) AS period`
  return await readRow<DayRange>(sql, text, [from, to, days, timeZone])
}

export interface HistoryLine {
  /** A request's id, `task 7`, `credit 3`, `debit 4` or `day 2026-11-22 …`. */
  id: string
  createdAt: Date
  kind: 'credit' | 'debit' | 'request' | 'task' | 'day'
  amountMicroRub: bigint
  balanceMicroRub: bigint
  /** How a request or task stands: its end, or `held` or `charged`. */
  state: string | null
  keyId: string | null
  note: string | null
  reference: string | null
  model: string | null
  /** Of a request that has ended, or of a folded day. */
  promptTokens: number | null
  completionTokens: number | null
}

export interface AccountHistoryQuestion {
  accountId: number
  linesMax: number
  fromDay?: string | undefined
  toDay?: string | undefined
  timeZone: string
}

// A balance is today's less what came later.
const READ_LINES = `
  WITH summed AS (
    SELECT *, (SELECT balance_micro_rub FROM service.account WHERE id = $1)
      - sum(amount_micro_rub) OVER (ORDER BY created_at DESC, id DESC) + amount_micro_rub AS balance
    FROM service.movement WHERE account_id = $1
  )
  SELECT id, created_at, kind, amount_micro_rub, balance::bigint AS balance_micro_rub, state, key_id, note, reference,
    model, prompt_tokens::float8, completion_tokens::float8
  FROM summed
  WHERE created_at >= ${startOfDaySql("COALESCE($2, '-infinity')", '$4')}
    AND created_at < ${startOfDaySql("COALESCE($3::date, 'infinity') + 1", '$4')}
  ORDER BY created_at DESC, id DESC LIMIT $5`

export async function readAccountHistory(
  sql: Sql,
  { accountId, linesMax, fromDay, toDay, timeZone }: AccountHistoryQuestion,
): Promise<HistoryLine[]> {
  const values = [accountId, fromDay, toDay, timeZone, linesMax]
  return await readRows<HistoryLine>(sql, READ_LINES, values)
}

export const USAGE_GROUPS = ['account', 'day', 'model', 'key'] as const
export type UsageGroup = (typeof USAGE_GROUPS)[number]

export interface UsageQuestion {
  accountId: number | undefined
  period: DayRange
  timeZone: string
  /** One at least, and none twice: there is a sum for each combination of them. */
  by: readonly UsageGroup[]
}

/** The fields of the groups that were asked for, and the sums. */
export interface UsageSum {
  account?: number
  accountName?: string
  /** `2026-11-22` */
  day?: string
  model?: string
  key?: string
  keyName?: string | null
  /** Chats and tasks, including those without a cost. */
  requests: number
  promptTokens: number
  completionTokens: number
  costMicroRub: bigint
  /** The cost that providers report; null if they report it of none of the requests. */
  reportedCostMicroRub: bigint | null
  /** The part of the cost of which a provider reports its own. */
  comparedMicroRub: bigint
}

const SUMS = `sum(requests)::float8 AS requests, COALESCE(sum(prompt_tokens), 0)::float8 AS prompt_tokens,
  COALESCE(sum(completion_tokens), 0)::float8 AS completion_tokens, -sum(amount_micro_rub)::bigint AS cost_micro_rub,
  sum(reported_cost_micro_rub)::bigint AS reported_cost_micro_rub,
  COALESCE(sum(compared_micro_rub), 0)::bigint AS compared_micro_rub`

const GROUPS: Record<UsageGroup, string> = {
  account: 'account_id',
  // A folded day is one of UTC.
  day: 'COALESCE(folded_day, (created_at AT TIME ZONE $4)::date)',
  model: 'model',
  key: 'key_id',
}

const LABELS: Record<UsageGroup, string> = {
  account:
    'account_id AS account, (SELECT name FROM service.account WHERE id = account_id) AS account_name',
  day: `(${GROUPS.day})::text AS day`,
  model: 'model',
  key: 'key_id AS key, (SELECT name FROM service.api_key WHERE public_id = key_id) AS key_name',
}

/** Sums usage by groups. In a last group of models or keys the highest cost comes first. */
export async function sumUsage(
  sql: Sql,
  { accountId, period, timeZone, by }: UsageQuestion,
): Promise<UsageSum[]> {
  const groups = by.map((group) => GROUPS[group])
  const isByCost = ['model', 'key'].includes(by.at(-1) ?? '')
  const order = isByCost ? groups.toSpliced(-1, 0, 'sum(amount_micro_rub)') : groups
  const text = `
    SELECT ${by.map((group) => LABELS[group]).join(', ')}, ${SUMS} FROM service.movement
    WHERE requests > 0 AND ($1::int IS NULL OR account_id = $1) AND (
      folded_day BETWEEN $2::date AND $3::date OR folded_day IS NULL
        AND created_at >= ${startOfDaySql('$2', '$4')} AND created_at < ${startOfDaySql('$3::date + 1', '$4')})
    GROUP BY ${groups.join(', ')} ORDER BY ${order.join(', ')}`
  return await readRows<UsageSum>(sql, text, [accountId, period.from, period.to, timeZone])
}
