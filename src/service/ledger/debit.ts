/**
 * How money leaves an account through a key, in the statement that does what it pays for.
 *
 * Invariants:
 * - the key is judged in that statement: one that is not valid when it begins, or may not use the model,
 *   takes nothing and counts nothing, so the caller need not have looked it up;
 * - a frozen account pays nothing and its requests count nothing; one that is frozen or closed while the
 *   request waits for its row pays nothing either;
 * - a request counts towards its account's limit, or is refused, in that statement; one that the balance or
 *   the key's spend limit does not reach for counts too;
 * - no more is taken than the balance has and the key may spend: a second request waits for the first on the
 *   account's row;
 * - what a key has spent moves with the balance. Whoever writes both rows locks the account's first.
 */
import type { AccountState } from './accounts.ts'
import {
  AccountFrozenError,
  BalanceTooLowError,
  InvalidKeyError,
  ModelNotAllowedError,
  type RateLimitReachedError,
  SpendLimitReachedError,
} from './errors.ts'
import { KEY_IS_VALID_SQL } from './key-terms.ts'
import {
  ACCEPT_SQL,
  askedSql,
  type RateLimit,
  type RateLimitPlaces,
  toRateLimitReachedError,
} from './rate-limit.ts'
import type { Sql } from './sql.ts'

/** Whose money is taken, for what, and how much. */
export interface DebitRequest {
  accountId: number
  /** Public id of the account's API key that the request came with. */
  keyId: string
  limit: RateLimit
  /** What the key has to be allowed. */
  model: string
  /** Millionths of a rouble, >= 0. */
  amountMicroRub: bigint
}

/** The places of a statement where a debit's values stand, such as `$1`. */
export interface DebitPlaces extends RateLimitPlaces {
  keyId: string
  model: string
  amount: string
}

/** What a statement with `debitSql()` read; money as PostgreSQL writes it. */
export interface DebitFacts {
  /** Null for a key that is not valid. */
  allowsModel: boolean | null
  /** The account's, as late as it was read. */
  state: AccountState | null
  /** Null where the rate limit is reached, as the others are. */
  balance: string | null
  /** Null for a key that has none. */
  spendLimit: string | null
  spent: string | null
}

/**
 * SQL of CTEs. `debit` has the account's id once the amount is taken; the statement selects
 * `DEBIT_FACTS_SQL`, for `toDebitRefusal()`. The row locks come before the amount is taken. They let nobody share the
 * row: under FOR NO KEY UPDATE, beside inserts that refer to it, debits that waited for one another were seen to
 * wait in a circle.
 *
 * @param condition Without it the request is neither judged nor counted.
 */
export function debitSql(places: DebitPlaces, condition = 'true'): string {
  const { accountId, keyId, model, amount } = places
  return `valid_key AS (
    SELECT models IS NULL OR ${model} = ANY(models) AS allows_model, account.state
    FROM service.api_key JOIN service.account ON account.id = account_id
    WHERE public_id = ${keyId} AND account_id = ${accountId} AND ${KEY_IS_VALID_SQL}
      AND account.state <> 'closed'
  ), asked AS (
    ${askedSql(places, `${MAY_PAY} AND ${condition}`)}
  ), accepted AS (
    ${ACCEPT_SQL}
  ), payer AS (
    SELECT account.id, account.state, balance_micro_rub FROM service.account, accepted
    WHERE account.id = accepted.account_id FOR UPDATE OF account
  ), paying_key AS (
    SELECT public_id, spend_limit_micro_rub, spent_micro_rub FROM service.api_key, payer
    WHERE public_id = ${keyId} FOR UPDATE OF api_key
  ), debit AS (
    UPDATE service.account SET balance_micro_rub = account.balance_micro_rub - ${amount}::bigint
    FROM payer, paying_key
    WHERE account.id = payer.id AND payer.state = 'open'
      AND payer.balance_micro_rub >= ${amount}::bigint
      AND COALESCE(spent_micro_rub + ${amount}::bigint <= spend_limit_micro_rub, true)
    RETURNING account.id
  ), key_debit AS (
    UPDATE service.api_key SET spent_micro_rub = api_key.spent_micro_rub + ${amount}::bigint
    FROM debit WHERE public_id = ${keyId}
  )`
}

const MAY_PAY = "EXISTS (SELECT FROM valid_key WHERE allows_model AND state = 'open')"

/** What a batch reads of a debit. */
export function toDebitRow({ accountId, keyId, model, amountMicroRub, limit }: DebitRequest) {
  const { route, requestsMax, windowMs } = limit
  return {
    account_id: accountId,
    key_id: keyId,
    model,
    amount: `${amountMicroRub}`,
    route,
    requests_max: requestsMax,
    window_ms: windowMs,
  }
}

/** What a statement with `debitSql()` selects, as `DebitFacts`. */
export const DEBIT_FACTS_SQL = `
  (SELECT allows_model FROM valid_key) AS "allowsModel",
  COALESCE((SELECT state FROM payer), (SELECT state FROM valid_key)) AS state,
  (SELECT balance_micro_rub FROM payer) AS balance,
  (SELECT spend_limit_micro_rub FROM paying_key) AS "spendLimit",
  (SELECT spent_micro_rub FROM paying_key) AS spent`

/** What an operation has left on the account; undefined where it did not read the balance. */
export function toBalanceAfter(
  { balance }: Pick<DebitFacts, 'balance'>,
  amountMicroRub: bigint,
): bigint | undefined {
  return balance === null ? undefined : BigInt(balance) + amountMicroRub
}

/** Says why a statement with `debitSql()` took nothing. */
export async function toDebitRefusal(
  sql: Sql,
  request: DebitRequest,
  { allowsModel, state, balance, spendLimit, spent }: DebitFacts,
): Promise<
  | InvalidKeyError
  | ModelNotAllowedError
  | AccountFrozenError
  | RateLimitReachedError
  | BalanceTooLowError
  | SpendLimitReachedError
> {
  if (allowsModel === null || state === 'closed') return new InvalidKeyError()
  if (!allowsModel) return new ModelNotAllowedError(request.model)
  if (state === 'frozen') return new AccountFrozenError()
  if (balance === null) return await toRateLimitReachedError(sql, request)
  const neededMicroRub = request.amountMicroRub
  const availableMicroRub = BigInt(balance)
  if (availableMicroRub < neededMicroRub) {
    return new BalanceTooLowError({ neededMicroRub, availableMicroRub })
  }
  const [limitMicroRub, spentMicroRub] = [BigInt(spendLimit ?? 0), BigInt(spent ?? 0)]
  return new SpendLimitReachedError({ neededMicroRub, limitMicroRub, spentMicroRub })
}
