/**
 * Accounts, and the credits and debits of their operator.
 * Invariants: a statement that adjusts a balance writes the row of the same amount; a reference names one adjustment.
 */
import { randomBytes } from 'node:crypto'
import { RequestRefusedError } from './errors.ts'
import { findRow, readRow, readRows, type Sql } from './sql.ts'

/** `frozen`: it spends nothing and reads on. `closed`: no key opens it, for good. */
export type AccountState = 'open' | 'frozen' | 'closed'

export interface Account {
  id: number
  name: string
  state: AccountState
  balanceMicroRub: bigint
}

const ACCOUNT = 'id, name, state, balance_micro_rub'

// On a taken name the account stays as it is; `xmax` is 0 only in a row that is new.
const CREATE = `
  WITH account AS (
    INSERT INTO service.account AS known (name, balance_micro_rub, callback_secret)
    VALUES ($1, $2::bigint, $3)
    ON CONFLICT (name) DO UPDATE SET name = known.name
    RETURNING *, xmax = 0 AS is_new
  ), adjustment AS (
    INSERT INTO service.adjustment (account_id, amount_micro_rub)
    SELECT id, $2::bigint FROM account WHERE is_new AND $2::bigint <> 0
  )
  SELECT ${ACCOUNT}, is_new FROM account`

interface NewAccount {
  name: string
  creditMicroRub: bigint
}

/** Creates an account with a callback secret of its own. @throws {Error} The name is taken. */
export async function createAccount(sql: Sql, account: NewAccount): Promise<Account> {
  const { isNew, ...created } = await findOrCreateAccount(sql, account)
  if (isNew) return created
  throw new Error(`Cannot create account "${account.name}": the name is taken`)
}

export async function findOrCreateAccount(
  sql: Sql,
  { name, creditMicroRub }: NewAccount,
): Promise<Account & { isNew: boolean }> {
  const values = [name, creditMicroRub, randomBytes(32).toString('hex')]
  return await readRow<Account & { isNew: boolean }>(sql, CREATE, values)
}

/** Freezes, opens or closes an account; a closed account stays closed. Returns undefined if there is none. */
export async function setAccountState(
  sql: Sql,
  { accountId, state }: { accountId: number; state: AccountState },
): Promise<Account | undefined> {
  const text = `
    UPDATE service.account
    SET state = CASE WHEN state = 'closed' THEN state ELSE $2::service.account_state END
    WHERE id = $1 RETURNING ${ACCOUNT}`
  return await findRow<Account>(sql, text, [accountId, state])
}

export async function findAccount(sql: Sql, accountId: number): Promise<Account | undefined> {
  const text = `SELECT ${ACCOUNT} FROM service.account WHERE id = $1`
  return await findRow<Account>(sql, text, [accountId], 'account-find')
}

export async function listAccounts(sql: Sql): Promise<Account[]> {
  return await readRows<Account>(sql, `SELECT ${ACCOUNT} FROM service.account ORDER BY id`)
}

/** Returns the account's permanent secret for callback signatures; undefined if there is no account. */
export async function findCallbackSecret(sql: Sql, accountId: number): Promise<string | undefined> {
  const text = 'SELECT callback_secret AS secret FROM service.account WHERE id = $1'
  return (await findRow<{ secret: string }>(sql, text, [accountId]))?.secret
}

export interface Adjustment {
  accountId: number
  amountMicroRub: bigint
  note?: string | undefined
  /** Its own name, such as a payment's number: a repeat changes nothing. */
  reference?: string | undefined
  belowZero?: boolean | undefined
}

// A reference that another transaction has just used makes no row, and so moves nothing.
const ADJUST = `
  WITH owner AS (
    SELECT id, balance_micro_rub AS before FROM service.account WHERE id = $1 FOR UPDATE
  ), made AS (
    INSERT INTO service.adjustment (account_id, amount_micro_rub, note, reference)
    SELECT id, $2, $3, $4 FROM owner WHERE $2::bigint > 0 OR $5 OR before + $2::bigint >= 0
    ON CONFLICT DO NOTHING RETURNING account_id
  )
  UPDATE service.account SET balance_micro_rub = balance_micro_rub + $2::bigint FROM made WHERE id = account_id
  RETURNING balance_micro_rub`

type Balance = Pick<Account, 'balanceMicroRub'>

/**
 * Adjusts a balance, once for a reference. Returns undefined without an account.
 * @throws {RequestRefusedError} The reference names another adjustment, or the debit is more than there is.
 */
export async function adjustBalance(
  sql: Sql,
  { accountId, amountMicroRub, note, reference, belowZero = false }: Adjustment,
): Promise<(Balance & { isRepeat: boolean }) | undefined> {
  const values = [accountId, amountMicroRub, note, reference, belowZero]
  const adjusted = await findRow<Balance>(sql, ADJUST, values)
  if (adjusted !== undefined) return { ...adjusted, isRepeat: false }
  const account = await findAccount(sql, accountId)
  if (account === undefined) return undefined
  const { balanceMicroRub } = account
  type Made = Pick<Adjustment, 'accountId' | 'amountMicroRub'>
  const made = await findRow<Made>(sql, FIND_MADE, [reference])
  if (made === undefined) {
    const facts = { neededMicroRub: -amountMicroRub, availableMicroRub: balanceMicroRub }
    throw new RequestRefusedError({ code: 'balance_too_low', ...facts })
  }
  if (made.accountId !== accountId || made.amountMicroRub !== amountMicroRub) {
    throw new RequestRefusedError({ code: 'reference_reused', reference: reference ?? '', made })
  }
  return { balanceMicroRub, isRepeat: true }
}

const FIND_MADE = 'SELECT account_id, amount_micro_rub FROM service.adjustment WHERE reference = $1'
