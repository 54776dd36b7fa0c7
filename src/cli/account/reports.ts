/** Reports of the ledger: the history of an account, and sums of usage. */
import type pg from 'pg'
import { readTimeZone } from '../../process/config.ts'
import {
  type HistoryLine,
  readAccountHistory,
  readDayRange,
  sumUsage,
  USAGE_GROUPS,
  type UsageGroup,
  type UsageSum,
} from '../../service/ledger/reports.ts'
import { type Field, toJson, writeCsv, writeTable } from '../output.ts'
import { type Add, type CommandContext, writeToOperator } from '../program.ts'
import { requireAccount } from './arguments.ts'

const LINES_DEFAULT = 50
const LINES_MAX = 60_000
const DAYS_DEFAULT = 30

interface ReportOptions {
  from?: string
  to?: string
  csv?: true
  json?: true
}

const REPORT_OPTIONS = {
  '--to <DAY>': 'last day (default: today)',
  '--csv': 'CSV for spreadsheets',
  '--json': 'JSON',
}

export function addReportCommands(add: Add, { env }: Pick<CommandContext, 'env'>): void {
  add('history <ACCOUNT_ID>', 'history of an account, newest first', showHistory, {
    '--from <DAY>': 'first day in TIME_ZONE, such as 2026-11-22',
    ...REPORT_OPTIONS,
    '--limit <N>': `most lines (default: ${LINES_DEFAULT}; in CSV and JSON ${LINES_MAX})`,
  })
  add('usage [ACCOUNT_ID]', 'sums of requests, tokens and cost', showUsage, {
    '--by <GROUPS>': `one or several of ${USAGE_GROUPS.join(', ')} (default: account)`,
    '--from <DAY>': `first day in TIME_ZONE (default: the last ${DAYS_DEFAULT} days)`,
    ...REPORT_OPTIONS,
  })

  async function showHistory(
    pool: pg.Pool,
    accountId: number,
    { limit, ...options }: ReportOptions & { limit?: number },
  ) {
    const { from: fromDay, to: toDay, csv, json } = options
    refuseContradiction(options)
    const timeZone = readTimeZone(env)
    const linesMax = limit ?? (csv || json ? LINES_MAX : LINES_DEFAULT)
    await requireAccount(pool, accountId)
    const period = { fromDay, toDay, timeZone }
    const lines = await readAccountHistory(pool, { accountId, linesMax, ...period })
    if (lines.length === linesMax) {
      writeToOperator(`At most ${linesMax} lines are shown: --limit and --to show others`)
    }
    if (csv) return writeCsv(HISTORY_FIELDS, lines)
    if (json) return { account_id: accountId, lines: toJson(HISTORY_FIELDS, lines) }
    return writeTable(HISTORY_FIELDS, lines, { timeZone })
  }

  async function showUsage(
    pool: pg.Pool,
    accountId: number | undefined,
    { by = ['account'], ...options }: ReportOptions & { by?: UsageGroup[] },
  ) {
    const { from, to, csv, json } = options
    refuseContradiction(options)
    const timeZone = readTimeZone(env)
    if (accountId !== undefined) await requireAccount(pool, accountId)
    const period = await readDayRange(pool, { from, to }, { days: DAYS_DEFAULT, timeZone })
    const usages = await sumUsage(pool, { accountId, period, timeZone, by })
    const fields = [...by.flatMap((group) => LABEL_FIELDS[group]), ...USAGE_FIELDS]
    if (csv) return writeCsv(fields, usages)
    if (json) return { ...period, time_zone: timeZone, by, usage: toJson(fields, usages) }
    const table =
      usages.length > 0 ? writeTable(fields, usages, { total: 'together' }) : 'No requests'
    return `${period.from} to ${period.to}, ${timeZone}\n\n${table}`
  }
}

const HISTORY_FIELDS: readonly Field<HistoryLine>[] = [
  { name: 'id', read: ({ id }) => id },
  { name: 'created_at', head: 'time', read: ({ createdAt }) => createdAt },
  { head: 'what', read: ({ kind, id }) => (kind === 'request' ? `request ${id}` : id) },
  { name: 'kind', read: ({ kind }) => kind },
  { name: 'state', head: 'state', read: ({ state }) => state },
  { name: 'amount_rub', head: 'RUB', read: (line) => line.amountMicroRub },
  { name: 'balance_rub', head: 'balance', read: (line) => line.balanceMicroRub },
  { name: 'model', read: ({ model }) => model },
  { name: 'prompt_tokens', read: ({ promptTokens }) => promptTokens },
  { name: 'completion_tokens', read: ({ completionTokens }) => completionTokens },
  { name: 'key_id', read: ({ keyId }) => keyId },
  { name: 'note', read: ({ note }) => note },
  { name: 'reference', read: ({ reference }) => reference },
  { head: 'note', read: (line) => [line.reference, line.note].filter(Boolean).join(': ') },
]

const LABEL_FIELDS: Readonly<Record<UsageGroup, readonly Field<UsageSum>[]>> = {
  account: [
    { name: 'account', read: ({ account }) => account },
    { head: 'account', read: ({ account }) => String(account) },
    { name: 'account_name', head: 'account name', read: ({ accountName }) => accountName },
  ],
  day: [{ name: 'day', head: 'day', read: ({ day }) => day }],
  model: [{ name: 'model', head: 'model', read: ({ model }) => model }],
  key: [
    { name: 'key', head: 'key', read: ({ key }) => key },
    { name: 'key_name', head: 'key name', read: ({ keyName }) => keyName },
  ],
}

const USAGE_FIELDS: readonly Field<UsageSum>[] = [
  { name: 'requests', head: 'requests', read: ({ requests }) => requests },
  { name: 'prompt_tokens', head: 'prompt tokens', read: (sum) => sum.promptTokens },
  { name: 'completion_tokens', head: 'completion tokens', read: (sum) => sum.completionTokens },
  { name: 'cost_rub', head: 'cost, RUB', read: (sum) => sum.costMicroRub },
  {
    name: 'compared_rub',
    head: 'charged beside reports, RUB',
    read: (sum) => (sum.reportedCostMicroRub === null ? null : sum.comparedMicroRub),
  },
  { name: 'reported_rub', head: 'reported, RUB', read: (sum) => sum.reportedCostMicroRub },
]

function refuseContradiction({ from, to, csv, json }: ReportOptions): void {
  if (csv && json) throw new Error('--csv cannot be used with --json: use one of them')
  if (from !== undefined && to !== undefined && from > to) {
    throw new Error(`--from ${from} is later than --to ${to}`)
  }
}
