/** The API key is not, or no longer, one of the account's. Nothing was done, counted or taken. */
export class InvalidKeyError extends Error {
  override readonly name = 'InvalidKeyError'

  constructor() {
    super('Cannot accept request: its API key is not valid')
  }
}

/** The idempotency key names another request of the account. Nothing was done, counted or taken. */
export class IdempotencyKeyReusedError extends Error {
  override readonly name = 'IdempotencyKeyReusedError'

  constructor() {
    super('Cannot create task: its idempotency key was used for another request')
  }
}

/** The balance is below the amount. Nothing was taken. */
export class BalanceTooLowError extends Error {
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

/** The limit of a route is reached. Nothing was done, counted or taken. */
export class RateLimitReachedError extends Error {
  override readonly name = 'RateLimitReachedError'
  /** Until the next request fits; 0 or less if it would already, because time went on. */
  readonly retryAfterMs: number

  constructor(retryAfterMs: number) {
    super(`Cannot accept request: the limit is reached for ${Math.ceil(retryAfterMs)} ms`)
    this.retryAfterMs = retryAfterMs
  }
}
