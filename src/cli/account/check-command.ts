import type { Command } from 'commander'
import { formatRub, toWireRub } from '../../contract/money.ts'
import {
  checkLedger,
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

function writeCheck({ accounts, entries, faultCount, faults }: LedgerCheck): string {
  const looked = `${count(entries, 'entry', 'entries')} of ${count(accounts, 'account', 'accounts')}`
  if (faultCount === 0) return `The ledger is right: ${looked}.`
  const listed = faultCount > faults.length ? `; the first ${faults.length}:` : ':'
  return `The ledger has ${count(faultCount, 'fault', 'faults')} in ${looked}${listed}\n\n${writeTable(COLUMNS, faults.map(toCells))}`
}

function count(of: number, one: string, many: string): string {
  return `${of.toLocaleString('en')} ${of === 1 ? one : many}`
}

function toCells(fault: LedgerFault): string[] {
  const { accountId, accountName, wantedMicroRub, foundMicroRub } = fault
  const money = [wantedMicroRub, foundMicroRub].map((amount) =>
    amount === null ? '' : formatRub(amount),
  )
  return [String(accountId), accountName, ...money, WORDS[fault.rule](fault.subject ?? '')]
}

function toJson({ accounts, entries, faultCount, faults }: LedgerCheck) {
  const toRub = (amount: bigint | null) => (amount === null ? null : toWireRub(amount))
  return {
    accounts,
    entries,
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
