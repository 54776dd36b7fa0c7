import type { MediaKind } from '../../../contract/tasks.ts'
import { labelsOf } from '../catalog.ts'
import type { MediaPrices } from '../order/prices.ts'

/** The price of each label that can be ordered, null where it is not known. */
export type LabelPrices = ReadonlyMap<string, bigint | null>

/** The prices of a kind at this moment; of pictures with those of sounds, to which their card leads. */
export function labelPrices(
  kind: MediaKind,
  { priceOf, isOffered }: Pick<MediaPrices, 'priceOf' | 'isOffered'>,
): LabelPrices {
  const kinds: readonly MediaKind[] = kind === 'image' ? ['image', 'sound'] : [kind]
  const labels = kinds.flatMap(labelsOf).map(({ label }) => label)
  return new Map(labels.filter(isOffered).map((label) => [label, priceOf(label) ?? null]))
}

/** Why an order is confirmed before it is made. */
export type Doubt = 'new_price' | 'high_price' | 'second_order'

/**
 * Finds out why an order is confirmed first: its price is not the one that its user read, is not known or as high as
 * admins set, or its user ordered something just now. Undefined where it need not be.
 */
export function findDoubt({
  microRub,
  shownMicroRub,
  confirmFromMicroRub,
  isSecond,
}: {
  microRub: bigint | undefined
  shownMicroRub: bigint | undefined
  confirmFromMicroRub: bigint
  isSecond: boolean
}): Doubt | undefined {
  if (microRub !== shownMicroRub) return 'new_price'
  if (microRub === undefined || microRub >= confirmFromMicroRub) return 'high_price'
  return isSecond ? 'second_order' : undefined
}
