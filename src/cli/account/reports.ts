/** Reports of the ledger: the history of an account, and sums of usage. */
import type pg from 'pg'
import { readTimeZone } from '../../process/config.ts'
import {
  type AccountHistoryPage,
  type HistoryLine,
  readAccountHistory,
  readDayRange,
  sumUsage,
  USAGE_GROUPS,
  type UsageGroup,
  type UsageSum,
} from '../../service/ledger/reports.ts'
import { type Field, toJson, writeCsv, writeTable } from '../output.ts'
import type { Add, CommandContext } from '../program.ts'
import { requireAccount } from './arguments.ts'

const LINES_DEFAULT = 50
const LINES_MAX = 10_000
const DAYS_DEFAULT = 30

interface ReportOptions {
  from?: string
  to?: string
  csv?: boolean
  json?: boolean
}

interface HistoryOptions extends ReportOptions {
  limit?: number
  before?: string
}

interface UsageOptions extends ReportOptions {
  by?: string
}

const REPORT_OPTIONS = {
  '--to <DAY>': 'last day (default: today)',
  '--csv': 'CSV for spreadsheets',
  '--json': 'JSON',
}

export function addReportCommands(add: Add, context: CommandContext): void {
  add('history <ACCOUNT_ID>', 'history of an account, newest first', showHistory, {
    '--from <DAY>': 'first day in TIME_ZONE, such as 2026-11-22',
    ...REPORT_OPTIONS,
    '--limit <N>': `most lines (default: ${LINES_DEFAULT}; in CSV all)`,
    '--before <WHAT>': 'only lines older than this request, task or adjustment',
  })
  add('usage [ACCOUNT_ID]', 'sums of requests, tokens and cost', showUsage, {
    '--by <GROUPS>': `one or several of ${USAGE_GROUPS.join(', ')} (default: account)`,
    '--from <DAY>': `first day in TIME_ZONE (default: the last ${DAYS_DEFAULT} days)`,
    ...REPORT_OPTIONS,
  })

  async function showHistory(pool: pg.Pool, accountId: number, options: HistoryOptions) {
    const { from: fromDay, to: toDay, before, csv, json } = options
    refuseContradiction(options)
    const timeZone = readTimeZone(context.env)
    const beforeId = before?.replace(/^request /, '')
    const page = { accountId, fromDay, toDay, beforeId, timeZone }
    await requireAccount(pool, accountId)
    const { limit = csv ? Number.POSITIVE_INFINITY : LINES_DEFAULT } = options
    if (csv) return await writePages(context.print, pool, { ...page, limit })
    // One line more than the page shows whether there are older lines.
    const read = await readAccountHistory(pool, { ...page, linesMax: limit + 1 })
    const lines = read.slice(0, limit)
    const next = read.length > limit ? lines.at(-1)?.id : undefined
    if (json) {
      const listed = toJson(HISTORY_FIELDS, lines)
      return { account_id: accountId, lines: listed, next_before: next ?? null }
    }
    const table = writeTable(HISTORY_FIELDS, lines, { timeZone })
    return next ? `${table}\n\nThere are older lines: --before "${next}" shows them.` : table
  }

  async function showUsage(pool: pg.Pool, accountId: number | undefined, options: UsageOptions) {
    const { from, to, csv, json } = options
    const by = readGroups(options.by ?? 'account')
    refuseContradiction(options)
    const timeZone = readTimeZone(context.env)
    if (accountId !== undefined) await requireAccount(pool, accountId)
    const period = await readDayRange(pool, { from, to }, { days: DAYS_DEFAULT, timeZone })
    const usages = await sumUsage(pool, { accountId, period, timeZone, by })
    const fields = usageFields(by, usages)
    if (csv) return writeCsv(fields, usages)
    if (json) {
      const usage = toJson(fields, usages)
      return { ...period, time_zone: timeZone, by: by.length === 1 ? by[0] : by, usage }
    }
    const table =
      usages.length > 0 ? writeTable(fields, usages, { total: 'together' }) : 'No requests'
    return `${period.from} to ${period.to}, ${timeZone}\n\n${table}`
  }
}

const HISTORY_FIELDS: readonly Field<HistoryLine>[] = [
  { name: 'id', read: ({ id }) => id },
  { name: 'created_at', csvName: 'time', head: 'time', read: ({ createdAt }) => createdAt },
  { head: 'what', read: ({ kind, id }) => (kind === 'request' ? `request ${id}` : id) },
  { name: 'kind', read: ({ kind }) => kind },
  { name: 'state', head: 'state', read: ({ state }) => state },
  { name: 'amount_rub', head: 'RUB', read: (line) => line.amountMicroRub },
  { name: 'balance_rub', head: 'balance', read: (line) => line.balanceMicroRub },
  { name: 'model', read: ({ model }) => model },
  { name: 'prompt_tokens', read: ({ tokens }) => tokens?.prompt },
  { name: 'completion_tokens', read: ({ tokens }) => tokens?.completion },
  { name: 'key_id', csvName: 'key', read: ({ keyId }) => keyId },
  { name: 'note', read: ({ note }) => note },
  { name: 'reference', read: ({ reference }) => reference },
  { head: 'note', read: (line) => [line.reference, line.note].filter(Boolean).join(': ') },
]

/** Prints pages and returns the last one: an account may have more lines than fit into memory. */
async function writePages(
  print: CommandContext['print'],
  pool: pg.Pool,
  { limit, ...page }: Omit<AccountHistoryPage, 'linesMax'> & { limit: number },
): Promise<string> {
  let { beforeId } = page
  let isFirst = true
  for (let left = limit; ; left -= LINES_MAX) {
    const linesMax = Math.min(left, LINES_MAX)
    const lines = await readAccountHistory(pool, { ...page, beforeId, linesMax })
    const text = writeCsv(HISTORY_FIELDS, lines, { hasHead: isFirst })
    if (lines.length < LINES_MAX) return text
    print(text)
    isFirst = false
    beforeId = lines.at(-1)?.id
  }
}

function usageFields(
  by: readonly UsageGroup[],
  usages: readonly UsageSum[],
): readonly Field<UsageSum>[] {
  const isCosted = usages.some(({ upstreamCostMicroRub }) => upstreamCostMicroRub !== null)
  const isReported = usages.some(({ reportedCostMicroRub }) => reportedCostMicroRub !== null)
  const ifCosted = (head: string) => (isCosted ? head : undefined)
  const ifReported = (head: string) => (isReported ? head : undefined)
  const field = (name: string, head: string | undefined, read: Field<UsageSum>['read']) =>
    ({ name, head, read }) satisfies Field<UsageSum>
  return [
    ...by.flatMap((group, index) => toLabelFields(group, index, by.length === 1)),
    field('requests', 'requests', (sum) => sum.requests),
    field('prompt_tokens', 'prompt tokens', (sum) => sum.promptTokens),
    field('completion_tokens', 'completion tokens', (sum) => sum.completionTokens),
    field('cost_rub', isCosted ? 'turnover, RUB' : 'cost, RUB', (sum) => sum.costMicroRub),
    field('upstream_cost_rub', ifCosted('upstream cost, RUB'), (sum) => sum.upstreamCostMicroRub),
    field('margin_rub', ifCosted('margin, RUB'), (sum) => sum.marginMicroRub),
    field('uncosted_rub', ifCosted('not costed, RUB'), (sum) => sum.uncostedMicroRub),
    field('compared_rub', ifReported('charged beside reports, RUB'), (sum) => sum.comparedMicroRub),
    field('reported_rub', undefined, (sum) => sum.reportedCostMicroRub),
    { head: ifReported('reported, RUB'), read: (sum) => sum.reportedCostMicroRub ?? 0n },
  ]
}

function toLabelFields(
  group: UsageGroup,
  index: number,
  isOnlyOne: boolean,
): readonly Field<UsageSum>[] {
  const idOf = ({ labels }: UsageSum) => labels[index]?.value ?? null
  const toValue = (value: string | null) => (group === 'account' && value ? Number(value) : value)
  const nameOf = ({ labels }: UsageSum) => labels[index]?.name
  const fields = [
    { name: group, read: (sum: UsageSum) => toValue(idOf(sum)) },
    { head: group, read: (sum: UsageSum) => idOf(sum) ?? 'not noted' },
  ]
  const name = isOnlyOne ? 'name' : `${group}_name`
  if (group === 'account' || group === 'key') {
    return [...fields, { name, head: name.replace('_', ' '), read: nameOf }]
  }
  return isOnlyOne ? [...fields, { name, read: nameOf }] : fields
}

function refuseContradiction({ from, to, csv, json }: ReportOptions): void {
  if (csv && json) throw new Error('--csv cannot be used with --json: use one of them')
  if (from !== undefined && to !== undefined && from > to) {
    throw new Error(`--from ${from} is later than --to ${to}`)
  }
}

function readGroups(text: string): UsageGroup[] {
  const names = text.split(',').map((name) => name.trim())
  const groups = names.flatMap((name) => USAGE_GROUPS.filter((group) => group === name))
  if (groups.length === names.length && new Set(names).size === names.length) return groups
  const all = USAGE_GROUPS.join(', ')
  throw new Error(`--by should be one of ${all}, or several with commas between`)
}
