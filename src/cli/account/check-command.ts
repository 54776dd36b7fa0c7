import type { Command } from 'commander'
import { formatRub, toWireRub } from '../../contract/money.ts'
import type { EndReason } from '../../service/ledger/batch/operation.ts'
import {
  checkLedger,
  type EstimatedChats,
  type LedgerCheck,
  type LedgerFault,
  type LedgerRule,
} from '../../service/ledger/reports/check-ledger.ts'
import { type Column, writeJson, writeTable } from '../command-line/write-output.ts'
import type { AccountDeps } from './account-deps.ts'

const WORDS: Readonly<Record<LedgerRule, (subject: string) => string>> = {
  balance: () => 'the balance is not the sum of the entries',
  key: (id) => `key ${id}: its spend is not that of its entries`,
  hold: (id) => `request ${id}: its entries are not those of its hold`,
  task: (id) => `task ${id}: its entries are not those of its end`,
  open_hold: (id) => `request ${id}: its process has ended, its hold has not`,
  open_task: (id) => `task ${id}: its process has ended, and no other took it over`,
}

const COLUMNS: readonly Column[] = [
  { head: 'account', isNumber: true },
  { head: 'name' },
  { head: 'should be, RUB', isNumber: true },
  { head: 'is, RUB', isNumber: true },
  { head: 'what' },
]

const REASONS: Readonly<Record<EndReason | 'unknown', string>> = {
  usage: 'the usage that its provider reported',
  counted: 'its provider reported no usage: the tokens were counted here',
  disbelieved: 'its provider reported a usage that cannot be true: the estimate was charged',
  broken: 'the answer broke off: the estimate was kept',
  left: 'the client left in the middle',
  failed: 'there was no answer',
  withdrawn: 'refused while the database was away',
  taken_over: 'its process ended in the middle: the estimate was kept',
  unknown: 'an older version ended it and did not record why',
}

const ESTIMATED_COLUMNS: readonly Column[] = [
  { head: 'chats', isNumber: true },
  { head: 'cost, RUB', isNumber: true },
  { head: 'why it is an estimate' },
]

/** Adds the command that looks for faults of the ledger. */
export function addCheckCommand(program: Command, { print, onDatabase }: AccountDeps): void {
  program
    .command('check')
    .description('look whether the ledger is right; exit status 1 where it is not')
    .option('--json', 'print JSON')
    .action(check)

  async function check({ json = false }: { json?: boolean }): Promise<void> {
    const found = await onDatabase(checkLedger)
    print(json ? writeJson(toJson(found)) : writeCheck(found))
    if (found.faultCount > 0) process.exitCode = 1
  }
}

function writeCheck(check: LedgerCheck): string {
  const { estimated } = check
  if (estimated.length === 0) return writeFaults(check)
  return `${writeFaults(check)}\n\nCharged by estimates:\n\n${writeTable(ESTIMATED_COLUMNS, estimated.map(toEstimatedCells))}`
}

function writeFaults({ accounts, entries, faultCount, faults }: LedgerCheck): string {
  const looked = `${count(entries, 'entry', 'entries')} of ${count(accounts, 'account', 'accounts')}`
  if (faultCount === 0) return `The ledger is right: ${looked}.`
  const listed = faultCount > faults.length ? `; the first ${faults.length}:` : ':'
  return `The ledger has ${count(faultCount, 'fault', 'faults')} in ${looked}${listed}\n\n${writeTable(COLUMNS, faults.map(toCells))}`
}

function count(of: number, one: string, many: string): string {
  return `${of.toLocaleString('en')} ${of === 1 ? one : many}`
}

function toEstimatedCells({ chats, costMicroRub, reason }: EstimatedChats): string[] {
  return [chats.toLocaleString('en'), formatRub(costMicroRub), REASONS[reason ?? 'unknown']]
}

function toCells(fault: LedgerFault): string[] {
  const { accountId, accountName, wantedMicroRub, foundMicroRub } = fault
  const money = [wantedMicroRub, foundMicroRub].map((amount) =>
    amount === null ? '' : formatRub(amount),
  )
  return [String(accountId), accountName, ...money, WORDS[fault.rule](fault.subject ?? '')]
}

function toJson({ accounts, entries, estimated, faultCount, faults }: LedgerCheck) {
  const toRub = (amount: bigint | null) => (amount === null ? null : toWireRub(amount))
  return {
    accounts,
    entries,
    estimated: estimated.map(({ state, reason, chats, costMicroRub }) => ({
      state,
      reason,
      chats,
      cost_rub: toRub(costMicroRub),
    })),
    fault_count: faultCount,
    faults: faults.map((fault) => ({
      account_id: fault.accountId,
      account_name: fault.accountName,
      rule: fault.rule,
      subject: fault.subject,
      should_be_rub: toRub(fault.wantedMicroRub),
      is_rub: toRub(fault.foundMicroRub),
    })),
  }
}
