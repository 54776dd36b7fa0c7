/** A million roubles: the whole context of the dearest model is a hundredth of it. More is no price but a mistake. */
const CHARGE_MICRO_RUB_MAX = 1_000_000_000_000n

/** Checks whether a charge can be of this amount. */
export function isChargeAmount(amountMicroRub: bigint): boolean {
  return amountMicroRub >= 0n && amountMicroRub <= CHARGE_MICRO_RUB_MAX
}

/**
 * @returns The amount itself.
 * @throws {RangeError} If no charge can be of this amount.
 */
export function checkChargeAmount(amountMicroRub: bigint): bigint {
  if (isChargeAmount(amountMicroRub)) return amountMicroRub
  const problem = amountMicroRub < 0n ? 'negative' : 'above a million roubles'
  throw new RangeError(`Cannot record charge: the amount is ${problem}`)
}
