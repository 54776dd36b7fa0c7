/** `kopeck account`: accounts of the service, their state, limits and money; keys, reports and check beside it. */
import type { Command } from 'commander'
import type pg from 'pg'
import { formatRub, toWireRub } from '../../contract/money.ts'
import {
  type Account,
  type AccountState,
  adjustBalance,
  createAccount,
  listAccounts,
  setAccountState,
} from '../../service/ledger/accounts.ts'
import { createApiKey } from '../../service/ledger/api-keys.ts'
import {
  checkLedger,
  FAULTS_MAX,
  type LedgerFault,
  type LedgerRule,
} from '../../service/ledger/check.ts'
import { RequestRefusedError } from '../../service/ledger/errors.ts'
import { LIMITS, readOwnLimits, setOwnLimits } from '../../service/ledger/rate-window.ts'
import { inTransaction } from '../../service/ledger/sql.ts'
import { type Field, toJson, writeTable } from '../output.ts'
import { type CommandContext, createAdd, createProgram } from '../program.ts'
import { noAccount, READERS, refuseClosed, requireAccount } from './arguments.ts'
import { addKeyCommands } from './keys.ts'
import { addReportCommands } from './reports.ts'

const ADJUSTMENT = {
  '--note <NOTE>': 'reason, shown in the history',
  '--reference <NAME>':
    'unique name, such as a payment number: repeated with it, the command changes nothing',
}

export function createAccountProgram(context: CommandContext): Command {
  const program = createProgram(context)
  const add = createAdd(program, context, READERS)
  program.commandsGroup('Accounts:')
  add('create', 'new account and its first API key, which is shown only once', create, {
    '--name <NAME>': 'account name (must be unique)',
    '--credit <RUB>': 'initial balance in roubles',
  })
  add('list', 'all accounts with state and balance', list, { '--json': 'JSON' })
  add(
    'freeze <ACCOUNT_ID>',
    'pause of an account, which can read but spend nothing',
    setState('frozen'),
  )
  add('unfreeze <ACCOUNT_ID>', 'end of the pause of an account', setState('open'))
  add('close <ACCOUNT_ID>', 'permanent end of an account and its API keys', setState('closed'))
  add('limits <ACCOUNT_ID>', 'requests a minute of an account, shown or changed', limits, {
    ...Object.fromEntries(
      KINDS.map((kind) => [`--${kind} <N|default>`, `${kind} requests a minute`]),
    ),
    '--json': 'JSON',
  })
  program.commandsGroup('Money:')
  add('credit <ACCOUNT_ID> <RUB>', 'roubles added to a balance', adjust(1n), ADJUSTMENT)
  add('debit <ACCOUNT_ID> <RUB>', 'roubles taken from a balance', adjust(-1n), {
    ...ADJUSTMENT,
    '--force': 'more than there is, which leaves a balance below 0',
  })
  addReportCommands(add, context)
  add('check', 'check of the ledger; exit status 1 if it has a fault', check, { '--json': 'JSON' })
  program.commandsGroup('API keys:')
  addKeyCommands(add, context)
  return program
}

const ACCOUNT_FIELDS: readonly Field<Account>[] = [
  { name: 'account_id', head: 'account', read: ({ id }) => id },
  { name: 'balance_rub', head: 'balance, RUB', read: (account) => account.balanceMicroRub },
  { name: 'state', head: 'state', read: ({ state }) => state },
  { name: 'name', head: 'name', read: ({ name }) => name },
]

async function create(pool: pg.Pool, { name, credit = 0n }: { name?: string; credit?: bigint }) {
  if (name === undefined) throw new Error('create needs --name NAME')
  return await inTransaction(pool, async (sql) => {
    const { id } = await createAccount(sql, { name, creditMicroRub: credit })
    return { account_id: id, api_key: await createApiKey(sql, id) }
  })
}

async function list(pool: pg.Pool, { json }: { json?: true }) {
  const accounts = await listAccounts(pool)
  if (!json) return writeTable(ACCOUNT_FIELDS, accounts)
  return { accounts: toJson(ACCOUNT_FIELDS, accounts) }
}

function setState(state: AccountState) {
  return async (pool: pg.Pool, accountId: number) => {
    const account = (await setAccountState(pool, { accountId, state })) ?? noAccount(accountId)
    if (account.state !== state) refuseClosed(accountId)
    return { account_id: accountId, state, balance_rub: toWireRub(account.balanceMicroRub) }
  }
}

const KINDS = ['chat', 'video', 'image', 'sound'] as const

type Kind = (typeof KINDS)[number]

const LIMIT_FIELDS: readonly Field<{ kind: Kind; max: number }>[] = [
  { head: 'kind', read: ({ kind }) => kind },
  { head: 'a minute', read: ({ max }) => max },
  { head: 'others have', read: ({ kind }) => LIMITS[kind].requestsMax },
]

/** The word `default` is read as false, and removes a limit. */
type LimitOptions = Partial<Record<Kind, number | false>> & { json?: true }

async function limits(pool: pg.Pool, accountId: number, { json, ...wanted }: LimitOptions) {
  const changes = Object.entries(wanted).map(([kind, max]) => [kind, max || null])
  const own = await inTransaction(pool, async (sql) => {
    await requireAccount(sql, accountId)
    await setOwnLimits(sql, accountId, Object.fromEntries(changes))
    return await readOwnLimits(sql, accountId)
  })
  const rows = KINDS.map((kind) => ({ kind, max: own[kind] ?? LIMITS[kind].requestsMax }))
  if (!json) return writeTable(LIMIT_FIELDS, rows)
  const aMinute = Object.fromEntries(rows.map(({ kind, max }) => [kind, max]))
  return { account_id: accountId, requests_a_minute: aMinute }
}

interface Adjustment {
  accountId: number
  amountMicroRub: bigint
}

function adjust(sign: bigint) {
  return async (
    pool: pg.Pool,
    accountId: number,
    microRub: bigint,
    { note, reference, force }: { note?: string; reference?: string; force?: true },
  ) => {
    if (microRub === 0n) throw new Error('RUB should be more than 0')
    const wanted = { accountId, amountMicroRub: sign * microRub }
    const adjustment = { ...wanted, belowZero: force, note, reference }
    const adjusted = await adjustBalance(pool, adjustment).catch((error) => {
      throw explain(error, wanted)
    })
    const { balanceMicroRub, isRepeat } = adjusted ?? noAccount(accountId)
    const balance = { account_id: accountId, balance_rub: toWireRub(balanceMicroRub) }
    return isRepeat ? { ...balance, repeated: true } : balance
  }
}

function explain(error: unknown, adjustment: Adjustment): unknown {
  const reason = error instanceof RequestRefusedError ? error.reason : undefined
  if (reason?.code === 'balance_too_low') {
    const [needed, has] = [reason.neededMicroRub, reason.availableMicroRub].map(formatRub)
    return new Error(
      `Account ${adjustment.accountId} has ${has} RUB, and ${needed} RUB are to be debited: --force debits them`,
    )
  }
  if (reason?.code === 'reference_reused') {
    const { reference, made } = reason
    const used = `The reference "${reference}" was used for ${describe(made)}`
    return new Error(`${used}, not for ${describe(adjustment)}`)
  }
  return error
}

function describe({ accountId, amountMicroRub }: Adjustment): string {
  return amountMicroRub > 0n
    ? `a credit of ${formatRub(amountMicroRub)} RUB to account ${accountId}`
    : `a debit of ${formatRub(-amountMicroRub)} RUB from account ${accountId}`
}

const FAULTS: Readonly<Record<LedgerRule, string>> = {
  balance: 'the balance is not the sum of its movements',
  key: 'key ID: its spend is not the cost of its requests and tasks',
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

async function check(pool: pg.Pool, { json }: { json?: true }): Promise<string | object> {
  const faults = await checkLedger(pool)
  if (faults.length > 0) process.exitCode = 1
  if (json) return { faults: toJson(FAULT_FIELDS, faults) }
  if (faults.length === 0) return 'The ledger is right.'
  const count = faults.length < FAULTS_MAX ? faults.length : `at least ${FAULTS_MAX}`
  return `Faults of the ledger: ${count}\n\n${writeTable(FAULT_FIELDS, faults)}`
}
