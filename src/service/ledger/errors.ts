/** How an account stands with a limit. */
export interface LimitStanding {
  requestsMax: number
  requestsLeft: number
  /** The time until all of them are there again, if none comes meanwhile. */
  resetMs: number
}

/** The ledger refuses a request. Nothing was taken for it. */
export abstract class RequestRefusedError extends Error {
  standing: LimitStanding | undefined
}

/** The API key is not, or no longer, one of the account's. Nothing was done, counted or taken. */
export class InvalidKeyError extends RequestRefusedError {
  override readonly name = 'InvalidKeyError'

  constructor() {
    super('Cannot accept request: its API key is not valid')
  }
}

/** The account is frozen: it spends nothing. Nothing was done, counted or taken. */
export class AccountFrozenError extends RequestRefusedError {
  override readonly name = 'AccountFrozenError'

  constructor() {
    super('Cannot accept request: the account is frozen')
  }
}

/** The API key is not one for this model. Nothing was done, counted or taken. */
export class ModelNotAllowedError extends RequestRefusedError {
  override readonly name = 'ModelNotAllowedError'
  readonly model: string

  constructor(model: string) {
    super('Cannot accept request: its API key may not use the model')
    this.model = model
  }
}

/** The idempotency key names another request of the account. Nothing was done, counted or taken. */
export class IdempotencyKeyReusedError extends RequestRefusedError {
  override readonly name = 'IdempotencyKeyReusedError'

  constructor() {
    super('Cannot accept request: its idempotency key was used for another one')
  }
}

/** The first request with the idempotency key has no end yet. Nothing was done, counted or taken. */
export class RequestUnderWayError extends RequestRefusedError {
  override readonly name = 'RequestUnderWayError'

  constructor() {
    super('Cannot accept request: the first one with its idempotency key is under way')
  }
}

/** The balance is below the amount. Nothing was taken. */
export class BalanceTooLowError extends RequestRefusedError {
  override readonly name = 'BalanceTooLowError'
  readonly neededMicroRub: bigint
  readonly availableMicroRub: bigint

  constructor(amounts: { neededMicroRub: bigint; availableMicroRub: bigint }) {
    const { neededMicroRub, availableMicroRub } = amounts
    super(`Cannot take ${neededMicroRub} micro-roubles: ${availableMicroRub} available`)
    this.neededMicroRub = neededMicroRub
    this.availableMicroRub = availableMicroRub
  }
}

/** The rest of the API key's spend limit is below the amount. Nothing was taken. */
export class SpendLimitReachedError extends RequestRefusedError {
  override readonly name = 'SpendLimitReachedError'
  readonly neededMicroRub: bigint
  readonly limitMicroRub: bigint
  readonly spentMicroRub: bigint
  readonly renewsAt: Date | undefined

  constructor({
    neededMicroRub,
    limitMicroRub,
    spentMicroRub,
    renewsAt,
  }: {
    neededMicroRub: bigint
    limitMicroRub: bigint
    spentMicroRub: bigint
    renewsAt?: Date | undefined
  }) {
    super(
      `Cannot take ${neededMicroRub} micro-roubles: the key has spent ${spentMicroRub} of ${limitMicroRub}`,
    )
    this.neededMicroRub = neededMicroRub
    this.limitMicroRub = limitMicroRub
    this.spentMicroRub = spentMicroRub
    this.renewsAt = renewsAt
  }

  /** Answers may cost more than was held, and limits are lowered: what is above the limit is no debt. */
  get leftMicroRub(): bigint {
    const left = this.limitMicroRub - this.spentMicroRub
    return left > 0n ? left : 0n
  }
}

/** The limit of a route is reached. Nothing was done, counted or taken. */
export class RateLimitReachedError extends RequestRefusedError {
  override readonly name = 'RateLimitReachedError'
  /** The time until the next request fits; 0 or less if it would already, because time went on. */
  readonly retryAfterMs: number

  constructor(retryAfterMs: number, standing?: LimitStanding) {
    super(`Cannot accept request: the limit is reached for ${Math.ceil(retryAfterMs)} ms`)
    this.retryAfterMs = retryAfterMs
    this.standing = standing
  }
}

/** The reference names another credit or debit. Nothing was changed. */
export class ReferenceReusedError extends Error {
  override readonly name = 'ReferenceReusedError'
  readonly reference: string
  readonly made: { accountId: number; amountMicroRub: bigint }

  constructor(reference: string, made: { accountId: number; amountMicroRub: bigint }) {
    super('Cannot adjust balance: its reference names another adjustment')
    this.reference = reference
    this.made = made
  }
}
