/** Reports of the ledger: the entries of an account, and sums of usage. */
import type pg from 'pg'
import { readTimeZone } from '../../process/config/config.ts'
import { readDayRange } from '../../service/ledger/reports/days.ts'
import {
  type EntriesPage,
  type ListedEntry,
  listEntries,
} from '../../service/ledger/reports/list-entries.ts'
import {
  sumUsage,
  toMarginMicroRub,
  USAGE_GROUPS,
  type UsageGroup,
  type UsageSum,
} from '../../service/ledger/reports/sum-usage.ts'
import { type Field, toJson, writeCsv, writeTable } from '../output.ts'
import type { Add, CommandContext } from '../program.ts'
import { requireAccount } from './arguments.ts'

const ENTRIES_DEFAULT = 50
const ENTRIES_MAX = 10_000
const DAYS_DEFAULT = 30

interface ReportOptions {
  from?: string
  to?: string
  csv?: boolean
  json?: boolean
}

interface HistoryOptions extends ReportOptions {
  limit?: number
  before?: bigint
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
  add('history <ACCOUNT_ID>', 'entries of an account, newest first', showHistory, {
    '--from <DAY>': 'first day in TIME_ZONE, such as 2026-11-22',
    ...REPORT_OPTIONS,
    '--limit <N>': `most entries (default: ${ENTRIES_DEFAULT}; in CSV all)`,
    '--before <ENTRY>': 'only entries older than this one',
  })
  add('usage [ACCOUNT_ID]', 'sums of requests, tokens and cost', showUsage, {
    '--by <GROUPS>': `one or several of ${USAGE_GROUPS.join(', ')} (default: account)`,
    '--from <DAY>': `first day in TIME_ZONE (default: the last ${DAYS_DEFAULT} days)`,
    ...REPORT_OPTIONS,
  })

  async function showHistory(pool: pg.Pool, accountId: number, options: HistoryOptions) {
    const { from: fromDay, to: toDay, before: beforeId, csv, json } = options
    refuseContradiction(options)
    const timeZone = readTimeZone(context.env)
    const page = { accountId, fromDay, toDay, beforeId, timeZone }
    await requireAccount(pool, accountId)
    const { limit = csv ? Number.POSITIVE_INFINITY : ENTRIES_DEFAULT } = options
    if (csv) return await writePages(context.print, pool, { ...page, limit })
    // One entry more than the page shows whether there are older entries.
    const read = await listEntries(pool, { ...page, entriesMax: limit + 1 })
    const entries = read.slice(0, limit)
    const next = read.length > limit ? entries.at(-1)?.id : undefined
    if (json) {
      const listed = toJson(ENTRY_FIELDS, entries)
      return { account_id: accountId, entries: listed, next_before: next ? Number(next) : null }
    }
    const table = writeTable(ENTRY_FIELDS, entries, { timeZone })
    return next ? `${table}\n\nThere are older ones: --before ${next} shows them.` : table
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

const ENTRY_FIELDS: readonly Field<ListedEntry>[] = [
  { name: 'entry_id', csvName: 'entry', head: 'entry', read: ({ id }) => Number(id) },
  { name: 'created_at', csvName: 'time', head: 'time', read: ({ createdAt }) => createdAt },
  { name: 'kind', head: 'kind', read: ({ kind }) => kind },
  { name: 'amount_rub', head: 'RUB', read: (entry) => entry.amountMicroRub },
  { name: 'balance_rub', head: 'balance', read: (entry) => entry.balanceMicroRub },
  { name: 'model', read: ({ model }) => model },
  { name: 'prompt_tokens', read: ({ tokens }) => tokens?.prompt },
  { name: 'completion_tokens', read: ({ tokens }) => tokens?.completion },
  { name: 'key_id', csvName: 'key', read: ({ keyId }) => keyId },
  { name: 'request_id', csvName: 'request', read: ({ requestId }) => requestId },
  { name: 'task_id', csvName: 'task', read: ({ taskId }) => taskId },
  { head: 'for', read: describeCause },
  { name: 'note', head: 'note', read: ({ note }) => note },
  { name: 'reference', read: ({ reference }) => reference },
]

function describeCause({ requestId, taskId, reference }: ListedEntry): string | undefined {
  if (requestId !== undefined) return `request ${requestId}`
  return taskId === undefined ? reference : `task ${taskId}`
}

/** Prints pages and returns the last one: an account may have more entries than fit into memory. */
async function writePages(
  print: CommandContext['print'],
  pool: pg.Pool,
  { limit, ...page }: Omit<EntriesPage, 'entriesMax'> & { limit: number },
): Promise<string> {
  let { beforeId } = page
  let isFirst = true
  for (let left = limit; ; left -= ENTRIES_MAX) {
    const entriesMax = Math.min(left, ENTRIES_MAX)
    const entries = await listEntries(pool, { ...page, beforeId, entriesMax })
    const text = writeCsv(ENTRY_FIELDS, entries, { hasHead: isFirst })
    if (entries.length < ENTRIES_MAX) return text
    print(text)
    isFirst = false
    beforeId = entries.at(-1)?.id
  }
}

/** Describes the sums for these groups; the table has costs and reports of providers only if they are known. */
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
    field('margin_rub', ifCosted('margin, RUB'), toMarginMicroRub),
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
