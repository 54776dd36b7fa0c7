import type { MediaKind } from '../../../contract/media.ts'
import type { ChatThread } from '../../addressing/chat-thread.ts'
import type { Sender } from '../../addressing/sender.ts'
import { labelOf, labelsOf, type MediaOptions, toRequest } from '../options/catalog.ts'
import type { PlacedOrder } from '../order/order-store.ts'
import type { Orders } from '../orders.ts'
import type { PictureOffer, Pictures } from '../picture/pictures.ts'
import type { GivenPicture } from '../picture/read-picture.ts'
import type { MediaPrices } from '../prices.ts'

/** What somebody wants to have made. */
export interface Wish extends ChatThread {
  kind: MediaKind
  user: Sender
  /** What asks for it: of orders with one key there is one, the first. */
  originKey: string
  /** What the order's messages answer to. */
  replyToMessageId: number
  prompt: string
  /** They exist together. */
  options: MediaOptions
  /** A clip is made from it, in its shape. */
  picture: GivenPicture | undefined
}

/** `refused`: nothing can be ordered; the text with this key, and `kind`, says why to the user. */
export type Preparation =
  | { status: 'ready'; imageUrl: string | undefined }
  | { status: 'refused'; key: string }

export interface OrderingDeps {
  orders: Pick<Orders, 'place' | 'isClosed'>
  pictures: Pick<Pictures, 'offer'>
  prices: Pick<MediaPrices, 'priceOf' | 'isOffered'>
}

/** Why no clip can be made from a picture. */
const PICTURE_TEXTS: Readonly<Record<Exclude<PictureOffer['status'], 'offered'>, string>> = {
  no_public_url: 'picture-no-public-url',
  too_large: 'picture-too-large',
  wrong_shape: 'picture-wrong-shape',
  not_a_picture: 'picture-not-a-picture',
  one_of_several: 'picture-one-of-several',
  gone: 'picture-gone',
}

/** Makes orders of what users want, at the price of the moment. */
export function createOrdering({ orders, pictures, prices }: OrderingDeps) {
  return { prepare, place }

  /**
   * Finds out whether it can be ordered now, and copies the picture for the service.
   *
   * @param wish Without options whether anything of the kind can.
   */
  async function prepare({
    kind,
    user,
    picture,
    options,
  }: Pick<Wish, 'kind' | 'user' | 'picture'> & { options?: MediaOptions }): Promise<Preparation> {
    const labels =
      options === undefined ? labelsOf(kind).map(({ label }) => label) : [labelOf(kind, options)]
    if (orders.isClosed(kind)) return { status: 'refused', key: 'media-closed' }
    if (!labels.some(prices.isOffered)) return { status: 'refused', key: 'media-not-offered' }
    if (picture === undefined) return { status: 'ready', imageUrl: undefined }
    if (kind !== 'video') return { status: 'refused', key: 'picture-video-only' }
    const offered = await pictures.offer(picture, { userId: user.id })
    if (offered.status !== 'offered')
      return { status: 'refused', key: PICTURE_TEXTS[offered.status] }
    return { status: 'ready', imageUrl: offered.imageUrl }
  }

  /**
   * Orders it, unless what asks for it has an order.
   *
   * @param imageUrl Of the picture, as it was prepared just before.
   */
  async function place(
    { kind, options, prompt, chatId, threadId, user, originKey, replyToMessageId }: Wish,
    { imageUrl }: { imageUrl: string | undefined },
  ): Promise<PlacedOrder> {
    const media = toRequest(kind, { prompt, options, ...(imageUrl !== undefined && { imageUrl }) })
    const label = labelOf(kind, options)
    const price = prices.priceOf(label)
    return orders.place({
      ...{ chatId, threadId, user, originKey, replyToMessageId, media, label },
      priceMicroRub: price?.microRub ?? null,
      priceEstimated: price?.estimated ?? true,
    })
  }
}

export type Ordering = ReturnType<typeof createOrdering>
