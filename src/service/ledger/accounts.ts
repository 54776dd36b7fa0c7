/**
 * Accounts: who calls the service.
 *
 * Invariant: an account's balance is the sum of its entries. A statement that changes the balance
 * writes the entry of the same amount as well.
 */
import { randomBytes } from 'node:crypto'
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
  ), entry AS (
    INSERT INTO service.entry (account_id, kind, amount_micro_rub)
    SELECT id, 'credit', $2::bigint FROM account WHERE is_new AND $2::bigint > 0
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
    publishMoney(() => ({
      kind: 'credit',
      reference: '',
      accountId: account.id,
      label: name,
      amountMicroRub: creditMicroRub,
    }))
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
