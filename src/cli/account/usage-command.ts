import { type Command, Option } from 'commander'
import {
  type CsvCell,
  formatRub,
  PLAIN_CSV,
  toWireRub,
  writeCsvLine,
} from '../../contract/money.ts'
import { readTimeZone } from '../../process/config/config.ts'
import { findAccount } from '../../service/ledger/accounts.ts'
import { type DayRange, readDayRange } from '../../service/ledger/reports/days.ts'
import {
  sumUsage,
  toMarginMicroRub,
  USAGE_GROUPS,
  type UsageGroup,
  type UsageLabel,
  type UsageSum,
} from '../../service/ledger/reports/sum-usage.ts'
import { type Column, writeJson, writeTable } from '../command-line/write-output.ts'
import type { AccountDeps } from './account-deps.ts'
import { ACCOUNT_ID, noAccount, readAccountId, readDay, refuseTurned } from './arguments.ts'

const DAYS_DEFAULT = 30

const COST_COLUMNS: readonly Column[] = [
  { head: 'upstream cost, RUB', isNumber: true },
  { head: 'margin, RUB', isNumber: true },
  { head: 'not costed, RUB', isNumber: true },
]

const REPORT_COLUMNS: readonly Column[] = [
  { head: 'charged beside reports, RUB', isNumber: true },
  { head: 'reported, RUB', isNumber: true },
]

interface UsageOptions {
  by: readonly UsageGroup[]
  from?: string
  to?: string
  csv?: boolean
  json?: boolean
}

interface UsageReport {
  by: readonly UsageGroup[]
  period: DayRange
  timeZone: string
  usages: readonly UsageSum[]
}

/** Adds the command that shows what was used, by which accounts, keys or models, or on which days. */
export function addUsageCommand(program: Command, { env, print, onDatabase }: AccountDeps): void {
  program
    .command('usage')
    .description('sum up requests, tokens and what they cost; open requests at what is held')
    .argument('[ACCOUNT_ID]', `${ACCOUNT_ID}; all accounts without it`, readAccountId)
    .addOption(
      new Option('--by <GROUPS>', `what is summed up: of ${USAGE_GROUPS.join(', ')}, or several`)
        .argParser(readGroups)
        .default(['account'], 'account'),
    )
    .option(
      '--from <DAY>',
      `first day, in TIME_ZONE (default: ${DAYS_DEFAULT - 1} days before the last)`,
      readDay,
    )
    .option('--to <DAY>', 'last day (default: today)', readDay)
    .option('--csv', 'print a file for spreadsheets')
    .addOption(new Option('--json', 'print JSON').conflicts('csv'))
    .action(usage)

  async function usage(accountId: number | undefined, options: UsageOptions): Promise<void> {
    const { by, from, to, csv = false, json = false } = options
    refuseTurned(options)
    const timeZone = readTimeZone(env)
    const { period, usages } = await onDatabase(async (pool) => {
      const isKnown = accountId === undefined || (await findAccount(pool, accountId)) !== undefined
      if (!isKnown) throw noAccount(accountId)
      const period = await readDayRange(pool, { from, to }, { days: DAYS_DEFAULT, timeZone })
      return { period, usages: await sumUsage(pool, { accountId, period, timeZone, by }) }
    })
    const report = { by, period, timeZone, usages }
    if (json) return print(writeJson(toJson(report)))
    print(csv ? toCsv(report) : toTable(report))
  }
}

function toTable({ by, period, timeZone, usages }: UsageReport): string {
  const isCosted = usages.some(({ upstreamCostMicroRub }) => upstreamCostMicroRub !== null)
  const isReported = usages.some(({ reportedCostMicroRub }) => reportedCostMicroRub !== null)
  const columns: Column[] = [
    ...by.flatMap((group) => [
      { head: group },
      ...(hasName(group) ? [{ head: by.length === 1 ? 'name' : `${group} name` }] : []),
    ]),
    { head: 'requests', isNumber: true },
    { head: 'prompt tokens', isNumber: true },
    { head: 'completion tokens', isNumber: true },
    { head: isCosted ? 'turnover, RUB' : 'cost, RUB', isNumber: true },
    ...(isCosted ? COST_COLUMNS : []),
    ...(isReported ? REPORT_COLUMNS : []),
  ]
  const lines = usages.length > 1 ? [...usages, sumUp(by, usages)] : usages
  const rows = lines.map(({ labels, ...sums }) => [
    ...labels.flatMap(({ by: group, value, name }) => [
      value ?? 'not noted',
      ...(hasName(group) ? [name ?? ''] : []),
    ]),
    String(sums.requests),
    String(sums.promptTokens),
    String(sums.completionTokens),
    formatRub(sums.costMicroRub),
    ...(isCosted ? toCostCells({ labels, ...sums }) : []),
    ...(isReported
      ? [formatRub(sums.comparedMicroRub), formatRub(sums.reportedCostMicroRub ?? 0n)]
      : []),
  ])
  const used = rows.length > 0 ? writeTable(columns, rows) : 'Nothing was asked for.'
  return `${period.from} to ${period.to}, ${timeZone}\n\n${used}`
}

function toCostCells(usage: UsageSum): string[] {
  const { upstreamCostMicroRub, uncostedMicroRub } = usage
  const margin = toMarginMicroRub(usage)
  return [
    upstreamCostMicroRub === null ? '' : formatRub(upstreamCostMicroRub),
    margin === null ? '' : formatRub(margin),
    formatRub(uncostedMicroRub),
  ]
}

function hasName(group: UsageGroup): boolean {
  return group === 'account' || group === 'key'
}

function sumUp(by: readonly UsageGroup[], usages: readonly UsageSum[]): UsageSum {
  const sum = (read: (usage: UsageSum) => number) =>
    usages.reduce((total, usage) => total + read(usage), 0)
  return {
    labels: by.map((group, index) => ({
      by: group,
      value: index === 0 ? 'together' : '',
      name: null,
    })),
    requests: sum(({ requests }) => requests),
    promptTokens: sum(({ promptTokens }) => promptTokens),
    completionTokens: sum(({ completionTokens }) => completionTokens),
    costMicroRub: usages.reduce((total, { costMicroRub }) => total + costMicroRub, 0n),
    upstreamCostMicroRub: sumKnown(usages.map(({ upstreamCostMicroRub }) => upstreamCostMicroRub)),
    uncostedMicroRub: usages.reduce((total, { uncostedMicroRub }) => total + uncostedMicroRub, 0n),
    reportedCostMicroRub: sumKnown(usages.map(({ reportedCostMicroRub }) => reportedCostMicroRub)),
    comparedMicroRub: usages.reduce((total, { comparedMicroRub }) => total + comparedMicroRub, 0n),
  }
}

/** @returns Null where none is known. */
function sumKnown(amounts: readonly (bigint | null)[]): bigint | null {
  return amounts.reduce((total, amount) => (amount === null ? total : (total ?? 0n) + amount), null)
}

/** The same columns in every file by one group, so that those of several periods can be laid one below the other. */
function toCsv({ by, usages }: UsageReport): string {
  const isOnlyOne = by.length === 1
  const groups = by.flatMap((group) => {
    if (isOnlyOne) return [group, 'name']
    return hasName(group) ? [group, `${group}_name`] : [group]
  })
  const head = [
    ...[...groups, 'requests', 'prompt_tokens', 'completion_tokens', 'cost_rub'],
    ...['upstream_cost_rub', 'margin_rub', 'uncosted_rub', 'compared_rub', 'reported_rub'],
  ]
  const rows = usages.map(({ labels, ...sums }): CsvCell[] => [
    ...labels.flatMap(({ by: group, value, name }) =>
      isOnlyOne || hasName(group) ? [value, name] : [value],
    ),
    sums.requests,
    sums.promptTokens,
    sums.completionTokens,
    { microRub: sums.costMicroRub },
    toCell(sums.upstreamCostMicroRub),
    toCell(toMarginMicroRub({ labels, ...sums })),
    { microRub: sums.uncostedMicroRub },
    { microRub: sums.comparedMicroRub },
    toCell(sums.reportedCostMicroRub),
  ])
  const text = [head, ...rows].map((cells) => writeCsvLine(cells, PLAIN_CSV)).join('')
  // Printing adds the end of the last line.
  return text.slice(0, -1)
}

function toJson({ by, period, timeZone, usages }: UsageReport) {
  return {
    from: period.from,
    to: period.to,
    time_zone: timeZone,
    by: by.length === 1 ? by[0] : by,
    usage: usages.map((usage) => ({
      ...Object.fromEntries(usage.labels.flatMap((label) => toFields(label, by.length === 1))),
      requests: usage.requests,
      prompt_tokens: usage.promptTokens,
      completion_tokens: usage.completionTokens,
      cost_rub: toWireRub(usage.costMicroRub),
      upstream_cost_rub: toRubOrNull(usage.upstreamCostMicroRub),
      margin_rub: toRubOrNull(toMarginMicroRub(usage)),
      uncosted_rub: toWireRub(usage.uncostedMicroRub),
      compared_rub: toWireRub(usage.comparedMicroRub),
      reported_rub: toRubOrNull(usage.reportedCostMicroRub),
    })),
  }
}

function toCell(microRub: bigint | null): CsvCell {
  return microRub === null ? null : { microRub }
}

function toRubOrNull(microRub: bigint | null): number | null {
  return microRub === null ? null : toWireRub(microRub)
}

function toFields({ by, value, name }: UsageLabel, isOnlyOne: boolean): [string, unknown][] {
  const field: [string, unknown] = [by, by === 'account' ? Number(value) : value]
  return name === null ? [field] : [field, [isOnlyOne ? 'name' : `${by}_name`, name]]
}

function readGroups(text: string): UsageGroup[] {
  const names = text.split(',').map((name) => name.trim())
  const groups = USAGE_GROUPS.filter((group) => names.includes(group))
  const isOfGroups = groups.length === names.length
  if (isOfGroups) return groups.toSorted((one, other) => names.indexOf(one) - names.indexOf(other))
  throw new Error(
    `--by should be one of ${USAGE_GROUPS.join(', ')}, or several with commas between`,
  )
}
