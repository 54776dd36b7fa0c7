import type pg from 'pg'
import {
  checkLedger,
  type EstimatedChats,
  type LedgerCheck,
  type LedgerFault,
  type LedgerRule,
} from '../../service/ledger/check.ts'
import type { EndReason } from '../../service/ledger/ends.ts'
import { type Field, toJson, writeTable } from '../output.ts'
import type { Add } from '../program.ts'

const FAULTS: Readonly<Record<LedgerRule, string>> = {
  balance: 'the balance is not the sum of its movements',
  key: 'key ID: its spend is not the cost of its requests and tasks',
  period: 'key ID: the spend of its period is not the cost of what began in it',
  limited_key: 'key ID: its account does not list it as limited',
  open_request: 'request ID: its process has ended, the request has not',
  open_task: 'task ID: its process has ended, and no other took it over',
}

const FAULT_FIELDS: readonly Field<LedgerFault>[] = [
  { name: 'account_id', head: 'account', read: ({ accountId }) => accountId },
  { name: 'account_name', head: 'name', read: ({ accountName }) => accountName },
  { name: 'rule', read: ({ rule }) => rule },
  { name: 'subject', read: ({ subject }) => subject },
  { name: 'should_be_rub', head: 'should be, RUB', read: (fault) => fault.wantedMicroRub },
  { name: 'is_rub', head: 'is, RUB', read: (fault) => fault.foundMicroRub },
  { head: 'what', read: ({ rule, subject }) => FAULTS[rule].replace('ID', () => subject ?? '') },
]

const REASONS: Readonly<Record<EndReason, string>> = {
  usage: 'the usage that its provider reported',
  counted: 'its provider reported no usage: the tokens were counted here',
  disbelieved: 'its provider reported a usage that cannot be true: the estimate was charged',
  broken: 'the answer broke off: the estimate was captured',
  left: 'the client left in the middle',
  failed: 'there was no answer',
  withdrawn: 'refused while the database was away',
  taken_over: 'its process ended in the middle: the estimate was captured',
}

const ESTIMATE_FIELDS: readonly Field<EstimatedChats>[] = [
  { name: 'state', read: ({ state }) => state },
  { name: 'reason', read: ({ reason }) => reason },
  { name: 'chats', head: 'chats', read: ({ chats }) => chats },
  { name: 'cost_rub', head: 'cost, RUB', read: ({ costMicroRub }) => costMicroRub },
  { head: 'why it is an estimate', read: ({ reason }) => REASONS[reason] },
]

export function addCheckCommand(add: Add): void {
  add('check', 'check of the ledger; exit status 1 if it has a fault', check, { '--json': 'JSON' })
}

async function check(pool: pg.Pool, { json }: { json?: true }): Promise<string | object> {
  const found = await checkLedger(pool)
  if (found.faultCount > 0) process.exitCode = 1
  return json ? toCheckJson(found) : describe(found)
}

function describe(check: LedgerCheck): string {
  const { estimated } = check
  if (estimated.length === 0) return describeFaults(check)
  const table = writeTable(ESTIMATE_FIELDS, estimated)
  return `${describeFaults(check)}\n\nCharged by estimates:\n\n${table}`
}

function describeFaults({ accounts, movements, faultCount, faults }: LedgerCheck): string {
  const checked = `${count(movements, 'movement', 'movements')} of ${count(accounts, 'account', 'accounts')}`
  if (faultCount === 0) return `The ledger is right: ${checked}.`
  const listed = faultCount > faults.length ? `; the first ${faults.length}:` : ':'
  const head = `The ledger has ${count(faultCount, 'fault', 'faults')} in ${checked}${listed}`
  return `${head}\n\n${writeTable(FAULT_FIELDS, faults)}`
}

function count(of: number, one: string, many: string): string {
  return `${of.toLocaleString('en')} ${of === 1 ? one : many}`
}

function toCheckJson({ accounts, movements, estimated, faultCount, faults }: LedgerCheck) {
  return {
    accounts,
    movements,
    estimated: toJson(ESTIMATE_FIELDS, estimated),
    fault_count: faultCount,
    faults: toJson(FAULT_FIELDS, faults),
  }
}
