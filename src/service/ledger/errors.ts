/** The API key is not, or no longer, one of the account's. Nothing was done, counted or taken. */
export class InvalidKeyError extends Error {
  override readonly name = 'InvalidKeyError'
  readonly code = 'invalid_key'

  constructor() {
    super('Cannot accept request: its API key is not valid')
  }
}

/** The balance does not reach. Nothing was taken. */
export class InsufficientBalanceError extends Error {
  override readonly name = 'InsufficientBalanceError'
  readonly code = 'insufficient_balance'
  readonly neededMicroRub: bigint
  readonly availableMicroRub: bigint

  constructor({
    neededMicroRub,
    availableMicroRub,
  }: {
    neededMicroRub: bigint
    availableMicroRub: bigint
  }) {
    super(`Cannot take ${neededMicroRub} micro-roubles: ${availableMicroRub} available`)
    this.neededMicroRub = neededMicroRub
    this.availableMicroRub = availableMicroRub
  }
}

/** The limit of a route is reached. Nothing was done, counted or taken. */
export class RateLimitedError extends Error {
  override readonly name = 'RateLimitedError'
  readonly code = 'rate_limited'
  /** Until the next request fits; 0 or less if it would already, because time went on. */
  readonly retryAfterMs: number

  constructor({ retryAfterMs }: { retryAfterMs: number }) {
    super(`Cannot accept request: the limit is reached for ${Math.ceil(retryAfterMs)} ms`)
    this.retryAfterMs = retryAfterMs
  }
}
