import type { MediaKind } from '../../../contract/media.ts'
import { labelsOf } from '../options/catalog.ts'
import type { MediaPrices } from '../prices.ts'

/** What each label of a kind costs, in micro-roubles; without those whose price is not known. */
export type LabelPrices = ReadonlyMap<string, bigint>

/** The prices of a kind at this moment. */
export function labelPrices(
  kind: MediaKind,
  { priceOf }: Pick<MediaPrices, 'priceOf'>,
): LabelPrices {
  const known = labelsOf(kind).flatMap(({ label }) => {
    const price = priceOf(label)
    return price === undefined ? [] : [[label, price.microRub] as const]
  })
  return new Map(known)
}
