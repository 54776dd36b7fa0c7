/**
 * How money leaves an account, in the statement that does what it pays for.
 *
 * Invariants:
 * - a request counts towards its account's limit, or is refused, in that statement; one that the balance
 *   does not reach for counts too;
 * - no more is taken than the balance has: a second request waits for the first on the account's row.
 */
import { BalanceTooLowError, type RateLimitReachedError } from './errors.ts'
import {
  acceptSql,
  type RateLimit,
  type RateLimitPlaces,
  toRateLimitReachedError,
} from './rate-limit.ts'
import type { Sql } from './sql.ts'

/**
 * SQL of three CTEs. `debit` has the account's id once the amount is taken, `payer` what it was compared
 * with: none where the limit is reached. The row lock comes before the amount is taken.
 *
 * @param places Where the values stand, such as `$1`.
 * @param condition Without it the request is neither judged nor counted.
 */
export function debitSql(places: RateLimitPlaces & { amount: string }, condition: string): string {
  return `accepted AS (
    ${acceptSql(places, condition)}
  ), payer AS (
    SELECT account.id, balance_micro_rub FROM service.account, accepted
    WHERE account.id = accepted.account_id FOR UPDATE OF account
  ), debit AS (
    UPDATE service.account
    SET balance_micro_rub = account.balance_micro_rub - ${places.amount}::bigint
    FROM payer
    WHERE account.id = payer.id AND payer.balance_micro_rub >= ${places.amount}::bigint
    RETURNING account.id
  )`
}

/**
 * Says why a statement with `debitSql()` took nothing.
 *
 * @param available What `payer` had; null where there was none.
 */
export async function toDebitRefusal(
  sql: Sql,
  request: { accountId: number; limit: RateLimit; amountMicroRub: bigint },
  available: string | null | undefined,
): Promise<RateLimitReachedError | BalanceTooLowError> {
  if (available == null) return await toRateLimitReachedError(sql, request)
  return new BalanceTooLowError({
    neededMicroRub: request.amountMicroRub,
    availableMicroRub: BigInt(available),
  })
}
