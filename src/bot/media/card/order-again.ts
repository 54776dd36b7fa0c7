import type { MediaKind } from '../../../contract/tasks.ts'
import type { LimitRefusal } from '../../spend/limits/limit-refusal.ts'
import type { ChatThread, Sender } from '../../telegram/addressing.ts'
import { pressOrigin } from '../../telegram/origin-key.ts'
import { labelOf } from '../catalog.ts'
import type { Order } from '../order/order-store.ts'
import { mediaOf } from '../order/order-texts.ts'
import type { MediaPrices } from '../order/prices.ts'
import type { MediaRules } from '../order/rules.ts'
import { choiceOf, imageUrlOf, pictureFileOf, type Variant } from '../order/variants.ts'
import { type PictureOffer, type Pictures, pictureRefusal } from '../picture/pictures.ts'
import { type Doubt, findDoubt } from './card-prices.ts'
import type { OrderCreation } from './order-creation.ts'
import type { MediaRefusal } from './refusal-text.ts'

/** A press of a button that orders a variant of an order. */
export interface AgainPress extends ChatThread {
  /** The same when the press is handled again. */
  id: string
  messageId: number
  /** The user who pressed, and so orders: not always the one who ordered before. */
  user: Sender
  base: Pick<Order, 'id' | 'kind' | 'params' | 'deliveredFiles'>
  variant: Variant
  shownMicroRub: bigint | undefined
  isConfirmed: boolean
}

export type AgainOutcome =
  | { status: 'created'; isNew: boolean }
  /** Its user is asked first. */
  | { status: 'unsure'; price: bigint | null; doubt: Doubt }
  /** A limit leaves no room for it: the same press may go through later. */
  | { status: 'limited'; price: bigint | null; refusal: LimitRefusal }
  | ({ status: 'refused'; kind: MediaKind } & MediaRefusal)

export interface OrderAgainDeps {
  creation: OrderCreation
  pictures: Pick<Pictures, 'offer' | 'offerAgain'>
  prices: Pick<MediaPrices, 'priceOf'>
  mediaRules: Pick<MediaRules, 'read'>
}

/** Orders variants of orders, for who presses and at the price of the moment. */
export function createOrderAgain({ creation, pictures, prices, mediaRules }: OrderAgainDeps) {
  return { orderAgain }

  /** At most one order of one button of one user is under way, however often it is tapped. */
  async function orderAgain(press: AgainPress): Promise<AgainOutcome> {
    const { base, variant, user, shownMicroRub, isConfirmed } = press
    const choice = choiceOf(base, variant)
    if (choice === undefined) return refuse(base.kind, 'button-stale')
    const { kind, options } = choice
    const refusal = creation.findRefusal({ kind, user, options })
    if (refusal !== undefined) return refuse(kind, refusal)
    const price = prices.priceOf(labelOf(kind, options)) ?? null
    const { confirmFromMicroRub } = await mediaRules.read()
    const microRub = price ?? undefined
    const originKey = pressOrigin(press.id)
    const isSecond = await creation.hasJustOrdered({ userId: user.id, originKey })
    const doubt = findDoubt({ microRub, shownMicroRub, confirmFromMicroRub, isSecond })
    if (doubt === 'new_price' || (doubt !== undefined && !isConfirmed)) {
      return { status: 'unsure', price, doubt }
    }
    const offered = await offerPicture(press)
    if (offered !== undefined && offered.status !== 'offered') {
      return refuse(kind, pictureRefusal(offered))
    }
    const { prompt } = mediaOf(base).request
    const { chatId, threadId, messageId: replyToMessageId } = press
    const outcome = await creation.create({
      chatId,
      threadId,
      user,
      replyToMessageId,
      kind,
      prompt,
      options,
      imageUrl: offered?.imageUrl,
      originKey,
      // The question is answered: its message shows the order.
      ...(isConfirmed && { statusMessageId: press.messageId }),
      buttonKey: `${variant} ${base.id} ${user.id}`,
    })
    if (outcome.status === 'refused') return { ...outcome, status: 'limited', price }
    return outcome
  }

  function refuse(kind: MediaKind, key: string): AgainOutcome {
    return { status: 'refused', kind, key, sold: creation.sold() }
  }

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
    const picture = {
      type: 'picture',
      fileId,
      fileUniqueId: '',
      sizeBytes: undefined,
      width: undefined,
      height: undefined,
    } as const
    return pictures.offer(picture, { userId: user.id })
  }
}

export type OrderAgain = ReturnType<typeof createOrderAgain>
