/** A request for money that leaves an account through a key, and its refusals. batch/run-batch.ts does it. */
import type { AccountState } from './accounts.ts'
import {
  AccountFrozenError,
  BalanceTooLowError,
  InvalidKeyError,
  ModelNotAllowedError,
  type RateLimitReachedError,
  SpendLimitReachedError,
} from './errors.ts'
import { readRenewal } from './keys/api-keys.ts'
import { keyLimit, type RateLimit, toRateLimitReachedError } from './rate-limit.ts'
import type { Sql } from './sql.ts'

/** A request to take money from an account, through a key, for a model. */
export interface DebitRequest {
  accountId: number
  keyId: string
  limit: RateLimit
  model: string
  /** Millionths of a rouble, >= 0. */
  amountMicroRub: bigint
}

/** The facts that the statement has read for a debit; money as PostgreSQL writes it. */
export interface DebitFacts {
  allowsModel: boolean | null
  isRepeat: boolean | null
  keyRate: number | null
  state: AccountState | null
  /** Null where the rate limit is reached, as the others are. */
  balance: string | null
  spendLimit: string | null
  spent: string | null
  limitMax: number | null
  limitLeft: number | null
}

/** Makes the columns that a batch reads of a debit. */
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

/** Explains why the statement took nothing. */
export async function toDebitRefusal(
  sql: Sql,
  request: DebitRequest,
  { allowsModel, state, keyRate, balance, spendLimit, spent }: DebitFacts,
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
  if (balance === null) {
    const ofKey = keyRate === null ? [] : [keyLimit(request.keyId, keyRate)]
    return await toRateLimitReachedError(sql, request, ofKey)
  }
  const neededMicroRub = request.amountMicroRub
  const availableMicroRub = BigInt(balance)
  if (availableMicroRub < neededMicroRub) {
    return new BalanceTooLowError({ neededMicroRub, availableMicroRub })
  }
  const [limitMicroRub, spentMicroRub] = [BigInt(spendLimit ?? 0), BigInt(spent ?? 0)]
  const renewsAt = await readRenewal(sql, request.keyId)
  return new SpendLimitReachedError({ neededMicroRub, limitMicroRub, spentMicroRub, renewsAt })
}
