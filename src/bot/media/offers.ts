/** The offers of the moment: kinds, prices, and the doubts that ask for a confirmation. */
import { MEDIA_KINDS, type MediaKind } from '../../contract/tasks.ts'
import type { Sender } from '../telegram/addressing.ts'
import type { Texts } from '../texts/texts.ts'
import { labelOf, labelsOf, type MediaOptions } from './catalog.ts'
import type { DraftPicture, LabelPrices } from './drafts.ts'
import { offerVariables } from './option-texts.ts'
import type { Orders } from './orders.ts'
import { type Pictures, pictureRefusal } from './pictures.ts'
import type { MediaPrices } from './prices.ts'

export interface OffersApp {
  orders: Pick<Orders, 'isClosed'>
  pictures: Pick<Pictures, 'offer' | 'offerAgain'>
  prices: Pick<MediaPrices, 'ready' | 'priceOf' | 'isOffered' | 'kinds'>
  texts: Texts
}

/** A wish of a user, with the options if they are known. */
export interface Wish {
  kind: MediaKind
  user: Sender
  options?: MediaOptions | undefined
  picture?: DraftPicture | undefined
}

/** `refusal`: a sentence with the reason. */
export type Preparation = { imageUrl: string | undefined } | { refusal: string }

/** Checks whether a wish can be ordered now, and copies its picture for the service. */
export async function prepare(app: OffersApp, wish: Wish): Promise<Preparation> {
  const { kind, user, picture } = wish
  const key = findRefusal(app, wish)
  if (key !== undefined) return refuse(app, wish, key)
  if (picture === undefined) return { imageUrl: undefined }
  if (kind !== 'video') return refuse(app, wish, 'picture-video-only')
  const offered =
    picture.type === 'served'
      ? await app.pictures.offerAgain(picture.url)
      : await app.pictures.offer(picture, { userId: user.id })
  return offered.status === 'offered' ? offered : refuse(app, wish, pictureRefusal(offered))
}

/** The prices of a kind now; of images with those of sounds, since their card offers sounds. */
export function pricesOf({ prices }: Pick<OffersApp, 'prices'>, kind: MediaKind): LabelPrices {
  const kinds: readonly MediaKind[] = kind === 'image' ? ['image', 'sound'] : [kind]
  const labels = kinds.flatMap(labelsOf).map(({ label }) => label)
  return Object.fromEntries(
    labels
      .filter(prices.isOffered)
      .map((label) => [label, prices.priceOf(label)?.toString() ?? null]),
  )
}

/** Why an order is confirmed before it is made. */
export type Doubt = 'new_price' | 'high_price' | 'second_order'

/** Finds the doubt about an order, if any. Nothing is ordered at a price that its user did not read. */
export function findDoubt({
  price,
  shown,
  confirmFromMicroRub,
  isSecond,
}: {
  price: bigint | null
  shown: bigint | null | undefined
  confirmFromMicroRub: bigint
  isSecond: boolean
}): Doubt | undefined {
  if (typeof shown === 'bigint' && price !== shown) return 'new_price'
  if (price === null || price !== shown || price >= confirmFromMicroRub) return 'high_price'
  return isSecond ? 'second_order' : undefined
}

/** Explains a doubt, unless the price on the card does. */
export function doubtText(
  doubt: Doubt | undefined,
  { languageCode, texts }: { languageCode: string | undefined; texts: Texts },
): string | undefined {
  if (doubt === 'new_price') return texts.t(languageCode, 'card-price-changed')
  return doubt === 'second_order' ? texts.t(languageCode, 'card-second') : undefined
}

/** The kinds that can be ordered. */
function sold({ prices, orders }: OffersApp): readonly MediaKind[] {
  return (prices.kinds() ?? MEDIA_KINDS).filter((kind) => !orders.isClosed(kind))
}

function findRefusal(app: OffersApp, { kind, user, options }: Wish): string | undefined {
  const { prices } = app
  if (!sold(app).includes(kind)) return 'media-not-sold'
  const labels = options ? [labelOf(kind, options)] : labelsOf(kind).map(({ label }) => label)
  if (!labels.some(prices.isOffered)) return 'media-not-offered'
  const hasPrice = labels.some((label) => prices.priceOf(label) !== undefined)
  if (hasPrice || user.role === 'admin') return undefined
  // A service that was not asked yet may have one.
  return prices.kinds() === undefined ? 'service-unavailable' : 'media-no-price'
}

function refuse(app: OffersApp, { kind, user }: Wish, key: string): { refusal: string } {
  const { texts } = app
  const { languageCode } = user
  const offered = offerVariables(sold(app), { languageCode, texts })
  return { refusal: texts.t(languageCode, key, { kind, ...offered }) }
}
