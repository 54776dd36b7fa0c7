/**
 * Why a price is confirmed before anything is ordered: it is not the one that its user read, or it is not
 * known or beyond what admins set. Undefined where it need not be.
 *
 * @param price Undefined where a price is not known.
 */
export function findPriceDoubt({
  microRub,
  shownMicroRub,
  confirmAboveMicroRub,
}: {
  microRub: bigint | undefined
  /** What its user read. */
  shownMicroRub: bigint | undefined
  confirmAboveMicroRub: bigint
}): 'new_price' | 'high_price' | undefined {
  if (microRub !== shownMicroRub) return 'new_price'
  return microRub === undefined || microRub > confirmAboveMicroRub ? 'high_price' : undefined
}
