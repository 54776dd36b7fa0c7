import { MEDIA_KINDS, type MediaKind } from '../../../contract/tasks.ts'
import { LimitReachedError, type LimitRefusal } from '../../spend/limits/limit-refusal.ts'
import type { ChatThread, Sender } from '../../telegram/addressing.ts'
import { labelOf, labelsOf, type MediaOptions, toRequest } from '../catalog.ts'
import type { NewOrder } from '../order/insert-order.ts'
import type { MediaPrices } from '../order/prices.ts'
import type { Orders } from '../orders.ts'

/** A user's wish for something to be made. */
export interface Wish
  extends ChatThread,
    Pick<NewOrder, 'originKey' | 'buttonKey' | 'statusMessageId'> {
  kind: MediaKind
  user: Sender
  replyToMessageId: number
  prompt: string
  options: MediaOptions
  imageUrl: string | undefined
}

/** `refused`: a limit leaves no room for the order, and there is none. */
export type OrderOutcome =
  | { status: 'created'; isNew: boolean }
  | { status: 'refused'; refusal: LimitRefusal }

export interface OrderCreationDeps {
  orders: Pick<Orders, 'create' | 'isClosed' | 'hasJustOrdered'>
  prices: Pick<MediaPrices, 'priceOf' | 'isOffered' | 'kinds'>
}

/** Creates orders of what users want, at the price of the moment. */
export function createOrderCreation({ orders, prices }: OrderCreationDeps) {
  return { sold, findRefusal, hasJustOrdered: orders.hasJustOrdered, create }

  function sold(): readonly MediaKind[] {
    return (prices.kinds() ?? MEDIA_KINDS).filter((kind) => !orders.isClosed(kind))
  }

  function findRefusal({
    kind,
    user,
    options,
  }: Pick<Wish, 'kind' | 'user'> & { options?: MediaOptions | undefined }): string | undefined {
    if (!sold().includes(kind)) return 'media-not-sold'
    const labels =
      options === undefined ? labelsOf(kind).map(({ label }) => label) : [labelOf(kind, options)]
    if (!labels.some(prices.isOffered)) return 'media-not-offered'
    const hasPrice = labels.some((label) => prices.priceOf(label) !== undefined)
    if (hasPrice || user.role === 'admin') return undefined
    // A service that was not asked yet may have one.
    return prices.kinds() === undefined ? 'service-unavailable' : 'media-no-price'
  }

  async function create({
    kind,
    prompt,
    options,
    imageUrl,
    ...asked
  }: Wish): Promise<OrderOutcome> {
    const { user, chatId, threadId, originKey, buttonKey, replyToMessageId, statusMessageId } =
      asked
    const media = toRequest(kind, { prompt, options, imageUrl })
    const label = labelOf(kind, options)
    try {
      const { isNew } = await orders.create({
        user,
        chatId,
        threadId,
        originKey,
        replyToMessageId,
        statusMessageId,
        media,
        label,
        ...(buttonKey !== undefined && { buttonKey }),
        priceMicroRub: prices.priceOf(label) ?? null,
      })
      return { status: 'created', isNew }
    } catch (error) {
      if (error instanceof LimitReachedError) return { status: 'refused', refusal: error.refusal }
      throw error
    }
  }
}

export type OrderCreation = ReturnType<typeof createOrderCreation>
