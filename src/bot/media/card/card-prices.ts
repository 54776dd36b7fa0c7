import type { MediaKind } from '../../../contract/media.ts'
import { labelsOf } from '../options/catalog.ts'
import type { MediaPrice, MediaPrices } from '../order/prices.ts'

/** The price of each label that can be ordered, null where it is not known. */
export type LabelPrices = ReadonlyMap<string, MediaPrice | null>

/** The prices of a kind at this moment. */
export function labelPrices(
  kind: MediaKind,
  { priceOf, isOffered }: Pick<MediaPrices, 'priceOf' | 'isOffered'>,
): LabelPrices {
  const labels = labelsOf(kind).map(({ label }) => label)
  return new Map(labels.filter(isOffered).map((label) => [label, priceOf(label) ?? null]))
}

/**
 * Finds out why a price is confirmed before anything is ordered: it is not the one that its user read, or it is not
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
  /** The price that its user read. */
  shownMicroRub: bigint | undefined
  confirmAboveMicroRub: bigint
}): 'new_price' | 'high_price' | undefined {
  if (microRub !== shownMicroRub) return 'new_price'
  return microRub === undefined || microRub > confirmAboveMicroRub ? 'high_price' : undefined
}
