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
