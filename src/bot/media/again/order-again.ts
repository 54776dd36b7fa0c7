import type { MediaKind } from '../../../contract/media.ts'
import type { ChatThread } from '../../addressing/chat-thread.ts'
import type { Sender } from '../../addressing/sender.ts'
import { labelOf, toRequest } from '../options/catalog.ts'
import type { Order } from '../order/order-store.ts'
import { mediaOf } from '../order/order-texts.ts'
import { buttonKey, pressOrigin } from '../order/origin-key.ts'
import type { Orders } from '../orders.ts'
import type { PictureOffer, Pictures } from '../picture/pictures.ts'
import type { MediaPrice, MediaPrices } from '../prices.ts'
import type { MediaRules } from '../rules.ts'
import { choiceOf, imageUrlOf, pictureFileOf, type Variant } from './variants.ts'

/** A press of a button that orders a variant of an order. */
export interface AgainPress extends ChatThread {
  /** The same when the press is handled again. */
  id: string
  /** The message that has the button; what the new order's messages answer to. */
  messageId: number
  /** Who pressed, and so orders: not always who ordered before. */
  user: Sender
  base: Pick<Order, 'id' | 'kind' | 'params' | 'deliveredFiles'>
  variant: Variant
  /** The price that stands on the button; undefined where none does. */
  shownMicroRub: bigint | undefined
  /** Whether the button asks to confirm that price. */
  isConfirmed: boolean
}

export type AgainOutcome =
  | { status: 'placed'; isNew: boolean }
  /** It is dear, costs something else than the button says, or who knows what: it is asked first. */
  | { status: 'unsure'; price: MediaPrice | null; isPriceNew: boolean }
  /** The text with this key, and `kind`, says why nothing was ordered. */
  | { status: 'refused'; key: string; kind: MediaKind }

export interface OrderAgainDeps {
  orders: Pick<Orders, 'place' | 'isClosed'>
  pictures: Pick<Pictures, 'offer' | 'offerAgain'>
  prices: Pick<MediaPrices, 'priceOf' | 'isOffered'>
  mediaRules: Pick<MediaRules, 'read'>
}

/** Orders variants of orders, for who presses and at the price of the moment. */
export function createOrderAgain({ orders, pictures, prices, mediaRules }: OrderAgainDeps) {
  return { orderAgain }

  /** Of one button of one user at most one order is under way, however often it is tapped. */
  async function orderAgain(press: AgainPress): Promise<AgainOutcome> {
    const { base, variant, user, shownMicroRub, isConfirmed } = press
    const choice = choiceOf(base, variant)
    if (choice === undefined) return { status: 'refused', key: 'button-stale', kind: base.kind }
    const { kind, options } = choice
    const label = labelOf(kind, options)
    if (orders.isClosed(kind)) return { status: 'refused', key: 'media-closed', kind }
    if (!prices.isOffered(label)) return { status: 'refused', key: 'media-not-offered', kind }
    const price = prices.priceOf(label) ?? null
    const isPriceNew = shownMicroRub !== price?.microRub
    const { confirmAboveMicroRub } = await mediaRules.read()
    const isDear = price === null || price.microRub > confirmAboveMicroRub
    if (isPriceNew || (isDear && !isConfirmed)) return { status: 'unsure', price, isPriceNew }
    const offered = await offerPicture(press)
    if (offered !== undefined && offered.status !== 'offered') {
      const key = `picture-${offered.status.replaceAll('_', '-')}`
      return { status: 'refused', key, kind }
    }
    const { prompt } = mediaOf(base).request
    const media = toRequest(kind, { prompt, options, imageUrl: offered?.imageUrl })
    const { chatId, threadId, messageId: replyToMessageId } = press
    const { isNew } = await orders.place({
      ...{ chatId, threadId, user, replyToMessageId, media, label },
      priceMicroRub: price?.microRub ?? null,
      priceEstimated: price?.estimated ?? true,
      originKey: pressOrigin(press.id),
      buttonKey: buttonKey({ variant, orderId: base.id, userId: user.id }),
    })
    return { status: 'placed', isNew }
  }

  /** The picture that a clip is made from: the one before, or the one that was delivered. */
  async function offerPicture({
    base,
    variant,
    user,
  }: AgainPress): Promise<PictureOffer | undefined> {
    const imageUrl = imageUrlOf(base)
    if (imageUrl !== undefined) return pictures.offerAgain(imageUrl)
    if (variant !== 'animate') return undefined
    const fileId = pictureFileOf(base)
    if (fileId === undefined) return { status: 'gone' }
    const unknown = { fileUniqueId: '', sizeBytes: undefined, width: undefined, height: undefined }
    return pictures.offer({ type: 'picture', fileId, ...unknown }, { userId: user.id })
  }
}

export type OrderAgain = ReturnType<typeof createOrderAgain>
