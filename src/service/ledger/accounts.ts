/**
 * Accounts: who calls the service, and the credits and debits of their operator.
 *
 * Invariants: a statement that adjusts a balance writes the row of the same amount; a reference names one adjustment
 * among all accounts, by a unique index; no more is taken than the balance has, unless the operator wants that.
 */
import { randomBytes } from 'node:crypto'
import { RequestRefusedError } from './errors.ts'
import { publishMoney } from './publish-money.ts'
import { isTaken, type Sql } from './sql.ts'

/** `frozen`: it spends nothing and reads on. `closed`: no key opens it, for good. */
export type AccountState = 'open' | 'frozen' | 'closed'

export interface Account {
  id: number
  name: string
  state: AccountState
  balanceMicroRub: bigint
}

const COLUMNS = 'id, name, state, balance_micro_rub'

// On a taken name the account stays as it is; `xmax` is 0 only in a row that is new.
const CREATE = `
  WITH account AS (
    INSERT INTO service.account AS known (name, balance_micro_rub, callback_secret)
    VALUES ($1, $2::bigint, $3)
    ON CONFLICT (name) DO UPDATE SET name = known.name
    RETURNING ${COLUMNS}, xmax = 0 AS is_new
  ), adjustment AS (
    INSERT INTO service.adjustment (account_id, amount_micro_rub)
    SELECT id, $2::bigint FROM account WHERE is_new AND $2::bigint > 0
  )
  SELECT ${COLUMNS}, is_new FROM account`

const RENAME = `UPDATE service.account SET name = $2 WHERE id = $1 RETURNING ${COLUMNS}`

const SET_STATE = `
  UPDATE service.account
  SET state = CASE WHEN state = 'closed' THEN state ELSE $2::service.account_state END
  WHERE id = $1 RETURNING ${COLUMNS}`

const NAME_INDEX = 'account_name_key'

interface AccountRow {
  id: number
  name: string
  state: AccountState
  balance_micro_rub: string
}

/**
 * Makes an account with a callback secret of its own.
 *
 * @param creditMicroRub Its first balance, >= 0.
 * @throws {Error} If there is one of that name.
 */
export async function createAccount(
  sql: Sql,
  account: { name: string; creditMicroRub: bigint },
): Promise<Account> {
  const { isNew, ...created } = await findOrCreateAccount(sql, account)
  if (isNew) return created
  throw new Error(`Cannot create account "${account.name}": the name is taken`)
}

/** Makes an account as `createAccount()` does, or returns the one that has the name, also if it was made just now. */
export async function findOrCreateAccount(
  sql: Sql,
  { name, creditMicroRub }: { name: string; creditMicroRub: bigint },
): Promise<Account & { isNew: boolean }> {
  if (creditMicroRub < 0n) throw new RangeError('Cannot create account: the credit is negative')
  const { rows } = await sql.query<AccountRow & { is_new: boolean }>({
    name: 'account-create',
    text: CREATE,
    values: [name, creditMicroRub, createSecret()],
  })
  const account = { ...toAccount(rows[0]), isNew: rows[0]?.is_new === true }
  if (account.isNew && creditMicroRub > 0n) {
    const made = { reference: '', accountId: account.id, label: name }
    publishMoney({ kind: 'credit', ...made, amountMicroRub: creditMicroRub })
  }
  return account
}

/**
 * Gives an account another name.
 *
 * @returns The account; undefined if there is none.
 * @throws {Error} If another one has the name.
 */
export async function renameAccount(
  sql: Sql,
  { accountId, name }: { accountId: number; name: string },
): Promise<Account | undefined> {
  try {
    const { rows } = await sql.query<AccountRow>(RENAME, [accountId, name])
    return rows[0] && toAccount(rows[0])
  } catch (error) {
    if (!isTaken(error, NAME_INDEX)) throw error
    throw new Error(`Cannot rename account ${accountId}: the name "${name}" is taken`)
  }
}

/**
 * Freezes an account, opens it again or closes it. What it has under way goes on to its end.
 *
 * @returns The account: a closed one stays closed. Undefined if there is none.
 */
export async function setAccountState(
  sql: Sql,
  { accountId, state }: { accountId: number; state: AccountState },
): Promise<Account | undefined> {
  const { rows } = await sql.query<AccountRow>(SET_STATE, [accountId, state])
  return rows[0] && toAccount(rows[0])
}

export async function findAccount(sql: Sql, accountId: number): Promise<Account | undefined> {
  const { rows } = await sql.query<AccountRow>({
    name: 'account-find',
    text: `SELECT ${COLUMNS} FROM service.account WHERE id = $1`,
    values: [accountId],
  })
  return rows[0] && toAccount(rows[0])
}

/** Checks whether there is an account of another name. */
export async function hasOtherAccount(sql: Sql, name: string): Promise<boolean> {
  const { rows } = await sql.query<{ found: boolean }>({
    name: 'account-has-other',
    text: 'SELECT EXISTS (SELECT FROM service.account WHERE name <> $1) AS found',
    values: [name],
  })
  return rows[0]?.found === true
}

export async function listAccounts(sql: Sql): Promise<Account[]> {
  const { rows } = await sql.query<AccountRow>({
    name: 'account-list',
    text: `SELECT ${COLUMNS} FROM service.account ORDER BY id`,
  })
  return rows.map(toAccount)
}

/** @returns The account's secret for callback signatures, permanent until an operator acts; undefined if there is no account. */
export async function findCallbackSecret(sql: Sql, accountId: number): Promise<string | undefined> {
  const { rows } = await sql.query<{ callback_secret: string }>({
    name: 'account-callback-secret',
    text: 'SELECT callback_secret FROM service.account WHERE id = $1',
    values: [accountId],
  })
  return rows[0]?.callback_secret
}

/**
 * Gives an account another secret for callback signatures. Attempts that begin from now on are signed with it.
 *
 * @returns Whether there is such an account.
 */
export async function rotateCallbackSecret(sql: Sql, accountId: number): Promise<boolean> {
  const { rowCount } = await sql.query({
    name: 'account-rotate-secret',
    text: 'UPDATE service.account SET callback_secret = $2 WHERE id = $1',
    values: [accountId, createSecret()],
  })
  return rowCount === 1
}

function createSecret(): string {
  return randomBytes(32).toString('hex')
}

function toAccount(row: AccountRow | undefined): Account {
  if (row === undefined) throw new TypeError('Cannot read account: the statement returned no row')
  return {
    id: row.id,
    name: row.name,
    state: row.state,
    balanceMicroRub: BigInt(row.balance_micro_rub),
  }
}

/** One credit or debit. */
export interface Adjustment {
  accountId: number
  /** Millionths of a rouble: above 0 a credit, below 0 a debit. */
  amountMicroRub: bigint
  note?: string | undefined
  /** Its own name, such as a payment's number: a repeat changes nothing. */
  reference?: string | undefined
  belowZero?: boolean | undefined
}

const ADJUST = `
  WITH owner AS (
    SELECT id, balance_micro_rub FROM service.account WHERE id = $1 FOR UPDATE
  ), account AS (
    UPDATE service.account SET balance_micro_rub = account.balance_micro_rub + $2::bigint FROM owner
    WHERE account.id = owner.id
      AND NOT EXISTS (SELECT FROM service.adjustment WHERE reference = $4)
      AND ($2::bigint > 0 OR $5 OR owner.balance_micro_rub + $2::bigint >= 0)
    RETURNING account.id, account.balance_micro_rub
  ), made AS (
    INSERT INTO service.adjustment (account_id, amount_micro_rub, note, reference)
    SELECT id, $2::bigint, $3, $4 FROM account
  )
  SELECT (SELECT balance_micro_rub FROM account) AS balance,
         (SELECT balance_micro_rub FROM owner) AS available`

const REFERENCE_INDEX = 'adjustment_reference_key'

/**
 * Adjusts a balance and writes the row that says so.
 *
 * @returns The balance then, and whether an adjustment of this reference was made before, in which case
 *   this one changed nothing; undefined if there is no such account.
 * @throws {RequestRefusedError} The reference names another adjustment, or the debit is more than there is.
 */
export async function adjustBalance(
  sql: Sql,
  adjustment: Adjustment,
): Promise<{ balanceMicroRub: bigint; isRepeat: boolean } | undefined> {
  const { accountId, amountMicroRub, note = '' } = adjustment
  if (amountMicroRub === 0n) throw new RangeError('Cannot adjust balance: the amount is 0')
  const { balance, available } = await adjust(sql, adjustment)
  if (balance != null) {
    const balanceMicroRub = BigInt(balance)
    const isCredit = amountMicroRub > 0n
    const amount = isCredit ? amountMicroRub : -amountMicroRub
    const made = { reference: '', accountId, label: note, amountMicroRub: amount }
    publishMoney({ kind: isCredit ? 'credit' : 'debit', ...made })
    return { balanceMicroRub, isRepeat: false }
  }
  const account = await findAccount(sql, accountId)
  if (account === undefined) return undefined
  if (await wasMade(sql, adjustment)) {
    return { balanceMicroRub: account.balanceMicroRub, isRepeat: true }
  }
  throw new RequestRefusedError({
    code: 'balance_too_low',
    neededMicroRub: -amountMicroRub,
    availableMicroRub: available == null ? account.balanceMicroRub : BigInt(available),
  })
}

interface Adjusted {
  balance: string | null
  available: string | null
}

/** Returns no balance where there is no account, the reference is taken or the balance is too low. */
async function adjust(
  sql: Sql,
  { accountId, amountMicroRub, note, reference, belowZero = false }: Adjustment,
): Promise<Partial<Adjusted>> {
  try {
    const { rows } = await sql.query<Adjusted>(ADJUST, [
      accountId,
      amountMicroRub,
      note ?? null,
      reference ?? null,
      belowZero,
    ])
    return rows[0] ?? {}
  } catch (error) {
    // Another process was there first: the whole statement is undone.
    if (!isTaken(error, REFERENCE_INDEX)) throw error
    return {}
  }
}

async function wasMade(
  sql: Sql,
  { accountId, amountMicroRub, reference }: Adjustment,
): Promise<boolean> {
  if (reference === undefined) return false
  const { rows } = await sql.query<{ account_id: number; amount_micro_rub: string }>(
    'SELECT account_id, amount_micro_rub FROM service.adjustment WHERE reference = $1',
    [reference],
  )
  const [first] = rows
  if (first === undefined) return false
  const made = { accountId: first.account_id, amountMicroRub: BigInt(first.amount_micro_rub) }
  if (made.accountId === accountId && made.amountMicroRub === amountMicroRub) return true
  throw new RequestRefusedError({ code: 'reference_reused', reference, made })
}
