/** A million roubles: the whole context of the dearest model is a hundredth of it. More is no price but a mistake. */
const CHARGE_MICRO_RUB_MAX = 1_000_000_000_000n

/**
 * @returns The amount itself.
 * @throws {RangeError} If no charge can be of this amount.
 */
export function checkChargeAmount(amountMicroRub: bigint): bigint {
  if (amountMicroRub < 0n) throw new RangeError('Cannot record charge: the amount is negative')
  if (amountMicroRub > CHARGE_MICRO_RUB_MAX) {
    throw new RangeError('Cannot record charge: the amount is above a million roubles')
  }
  return amountMicroRub
}
