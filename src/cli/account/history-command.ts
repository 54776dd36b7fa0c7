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
import {
  type EntriesPage,
  type ListedEntry,
  listEntries,
} from '../../service/ledger/reports/list-entries.ts'
import { writeJson, writeTable, writeTime } from '../command-line/write-output.ts'
import type { AccountDeps } from './account-deps.ts'
import { ACCOUNT_ID, noAccount, readAccountId, readDay, refuseTurned } from './arguments.ts'

const ENTRIES_DEFAULT = 50
const ENTRIES_MAX = 10_000
const ENTRY_ID_MAX = 2n ** 63n - 1n

const COLUMNS = [
  { head: 'entry', isNumber: true },
  { head: 'time' },
  { head: 'kind' },
  { head: 'RUB', isNumber: true },
  { head: 'balance', isNumber: true },
  { head: 'for' },
  { head: 'note' },
]

const CSV_HEAD = [
  'entry',
  'time',
  'kind',
  'amount_rub',
  'balance_rub',
  'model',
  'prompt_tokens',
  'completion_tokens',
  'key',
  'request',
  'task',
  'note',
  'reference',
]

interface HistoryOptions {
  from?: string
  to?: string
  limit?: number
  before?: bigint
  csv?: boolean
  json?: boolean
}

/** Adds the command that shows how an account came to its balance. */
export function addHistoryCommand(program: Command, { env, print, onDatabase }: AccountDeps): void {
  program
    .command('history')
    .description('show what moved the balance of an account, newest first')
    .argument('<ACCOUNT_ID>', ACCOUNT_ID, readAccountId)
    .option('--from <DAY>', 'the first day, such as 2026-11-22, in TIME_ZONE', readDay)
    .option('--to <DAY>', 'the last day', readDay)
    .option(
      '--limit <N>',
      `how many entries at most (default: ${ENTRIES_DEFAULT}; of a file all)`,
      readLimit,
    )
    .option('--before <ENTRY>', 'go on with those older than this one', readEntryId)
    .option('--csv', 'print a file for spreadsheets, with models and tokens')
    .addOption(new Option('--json', 'print JSON').conflicts('csv'))
    .action(history)

  async function history(accountId: number, options: HistoryOptions): Promise<void> {
    const { from, to, limit = ENTRIES_DEFAULT, before, csv = false, json = false } = options
    refuseTurned(options)
    const timeZone = readTimeZone(env)
    const page = { accountId, fromDay: from, toDay: to, beforeId: before, timeZone }
    if (csv) return await printCsv(page, options.limit)
    const read = await onDatabase(async (pool) => {
      if ((await findAccount(pool, accountId)) === undefined) throw noAccount(accountId)
      return await listEntries(pool, { ...page, entriesMax: limit + 1 })
    })
    const entries = read.slice(0, limit)
    // One entry more than the page holds was asked for: if it is there, there are older ones.
    const next = read.length > limit ? entries.at(-1)?.id : undefined
    if (json) return print(writeJson(toJson({ accountId, entries, next })))
    print(
      writeTable(
        COLUMNS,
        entries.map((entry) => toCells(entry, timeZone)),
      ),
    )
    if (next !== undefined) print(`\nThere are older ones: --before ${next} shows them.`)
  }

  async function printCsv(
    page: Omit<EntriesPage, 'entriesMax'>,
    limit = Number.POSITIVE_INFINITY,
  ): Promise<void> {
    printLines([CSV_HEAD])
    await onDatabase(async (pool) => {
      if ((await findAccount(pool, page.accountId)) === undefined) throw noAccount(page.accountId)
      let left = limit
      let { beforeId } = page
      while (left > 0) {
        const entriesMax = Math.min(left, ENTRIES_MAX)
        const entries = await listEntries(pool, { ...page, beforeId, entriesMax })
        if (entries.length > 0) printLines(entries.map(toCsvCells))
        if (entries.length < entriesMax) return
        left -= entries.length
        beforeId = entries.at(-1)?.id
      }
    })
  }

  /** Printing adds the end of the last line. */
  function printLines(rows: readonly (readonly CsvCell[])[]): void {
    print(
      rows
        .map((cells) => writeCsvLine(cells, PLAIN_CSV))
        .join('')
        .slice(0, -1),
    )
  }
}

function toCsvCells(entry: ListedEntry): CsvCell[] {
  const { model, tokens, keyId, requestId, taskId, note, reference } = entry
  return [
    entry.id,
    entry.createdAt.toISOString(),
    entry.kind,
    { microRub: entry.amountMicroRub },
    { microRub: entry.balanceMicroRub },
    model ?? null,
    tokens?.prompt ?? null,
    tokens?.completion ?? null,
    keyId ?? null,
    requestId ?? null,
    taskId ?? null,
    note ?? null,
    reference ?? null,
  ]
}

function toCells(entry: ListedEntry, timeZone: string): string[] {
  const { id, createdAt, kind, amountMicroRub, balanceMicroRub } = entry
  const money = [formatRub(amountMicroRub), formatRub(balanceMicroRub)]
  return [
    String(id),
    writeTime(createdAt, timeZone),
    kind,
    ...money,
    causeOf(entry),
    entry.note ?? '',
  ]
}

function causeOf({ requestId, taskId, reference }: ListedEntry): string {
  if (requestId !== undefined) return `request ${requestId}`
  if (taskId !== undefined) return `task ${taskId}`
  return reference ?? ''
}

function toJson({
  accountId,
  entries,
  next,
}: {
  accountId: number
  entries: readonly ListedEntry[]
  next: bigint | undefined
}) {
  return {
    account_id: accountId,
    entries: entries.map((entry) => ({
      entry_id: Number(entry.id),
      created_at: entry.createdAt.toISOString(),
      kind: entry.kind,
      amount_rub: toWireRub(entry.amountMicroRub),
      balance_rub: toWireRub(entry.balanceMicroRub),
      request_id: entry.requestId ?? null,
      task_id: entry.taskId ?? null,
      key_id: entry.keyId ?? null,
      model: entry.model ?? null,
      prompt_tokens: entry.tokens?.prompt ?? null,
      completion_tokens: entry.tokens?.completion ?? null,
      note: entry.note ?? null,
      reference: entry.reference ?? null,
    })),
    next_before: next === undefined ? null : Number(next),
  }
}

function readLimit(text: string): number {
  if (/^[1-9]\d{0,4}$/.test(text) && Number(text) <= ENTRIES_MAX) return Number(text)
  throw new Error(`--limit should be a whole number from 1 to ${ENTRIES_MAX}`)
}

function readEntryId(text: string): bigint {
  if (/^\d{1,19}$/.test(text) && BigInt(text) <= ENTRY_ID_MAX) return BigInt(text)
  throw new Error('--before should be the number of an entry, as history prints it')
}
