import type { MediaKind } from '../../../contract/media.ts'
import { labelsOf } from '../options/catalog.ts'
import type { MediaPrice, MediaPrices } from '../prices.ts'

/** What each label that can be ordered costs, null where the price is not known. */
export type LabelPrices = ReadonlyMap<string, MediaPrice | null>

/** The prices of a kind at this moment. */
export function labelPrices(
  kind: MediaKind,
  { priceOf, isOffered }: Pick<MediaPrices, 'priceOf' | 'isOffered'>,
): LabelPrices {
  const labels = labelsOf(kind).map(({ label }) => label)
  return new Map(labels.filter(isOffered).map((label) => [label, priceOf(label) ?? null]))
}
