/**
 * Credits and debits by an operator, who puts money into an account or takes it out.
 *
 * Invariants:
 * - balance and entry are one statement;
 * - a reference names one adjustment among all accounts, by a unique index: of two processes that come with
 *   one, the second finds the first's;
 * - no more is taken than the balance has, unless the operator wants that.
 */
import { findAccount } from './accounts.ts'
import { BalanceTooLowError, ReferenceReusedError } from './errors.ts'
import { publishMoney } from './publish-money.ts'
import { isTaken, type Sql } from './sql.ts'

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
      AND NOT EXISTS (SELECT FROM service.entry WHERE reference = $4)
      AND ($2::bigint > 0 OR $5 OR owner.balance_micro_rub + $2::bigint >= 0)
    RETURNING account.id, account.balance_micro_rub
  ), entry AS (
    INSERT INTO service.entry (account_id, kind, amount_micro_rub, note, reference)
    SELECT id, (CASE WHEN $2::bigint > 0 THEN 'credit' ELSE 'debit' END)::service.entry_kind,
           $2::bigint, $3, $4
    FROM account
  )
  SELECT (SELECT balance_micro_rub FROM account) AS balance,
         (SELECT balance_micro_rub FROM owner) AS available`

const REFERENCE_INDEX = 'entry_reference_idx'

/**
 * Adjusts a balance and writes the entry.
 *
 * @returns The balance then, and whether an adjustment of this reference was made before, in which case
 *   this one changed nothing; undefined if there is no such account.
 * @throws {ReferenceReusedError} If the reference names another adjustment. Nothing is changed.
 * @throws {BalanceTooLowError} If the debit is more than there is. Nothing is changed.
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
    publishMoney(() => ({
      kind: isCredit ? 'credit' : 'debit',
      reference: '',
      accountId,
      label: note,
      amountMicroRub: isCredit ? amountMicroRub : -amountMicroRub,
    }))
    return { balanceMicroRub, isRepeat: false }
  }
  const account = await findAccount(sql, accountId)
  if (account === undefined) return undefined
  if (await wasMade(sql, adjustment)) {
    return { balanceMicroRub: account.balanceMicroRub, isRepeat: true }
  }
  throw new BalanceTooLowError({
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
    'SELECT account_id, amount_micro_rub FROM service.entry WHERE reference = $1',
    [reference],
  )
  const [first] = rows
  if (first === undefined) return false
  const made = { accountId: first.account_id, amountMicroRub: BigInt(first.amount_micro_rub) }
  if (made.accountId === accountId && made.amountMicroRub === amountMicroRub) return true
  throw new ReferenceReusedError(reference, made)
}
