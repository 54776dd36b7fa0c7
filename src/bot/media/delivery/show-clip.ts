import type { Logger } from 'pino'
import type { UrlGuard } from '../../../http/find-target.ts'
import { isPublicUrl } from '../../../http/outside-url.ts'
import type { Texts } from '../../locales/texts.ts'
import { errorFacts } from '../../telegram/error-facts.ts'
import {
  ChatUnreachableError,
  MediaRefusedError,
  SendOutcomeUnknownError,
} from '../../telegram/errors.ts'
import type { EditOutcome, MessageRef, Outbox, ShownFile } from '../../telegram/outbox/outbox.ts'
import { languageOf } from '../../users.ts'
import { CHAT_UNREACHABLE, UNDELIVERABLE } from '../order/order-failure.ts'
import type { OrderStatus } from '../order/order-status.ts'
import type { Order, OrderStore } from '../order/order-store.ts'
import { captionOf, mediaOf, shapeOf } from '../order/order-texts.ts'
import {
  ClipRefusedError,
  ClipTooLargeError,
  ClipUnavailableError,
  fetchClip as fetchClipOverHttp,
} from './fetch-clip.ts'

/** How long a clip that cannot be fetched is tried again, from its order on. */
const DELIVERY_MS_MAX = 24 * 3600_000

export interface ClipDeliveryDeps {
  store: Pick<OrderStore, 'setResultMessage' | 'setDelivered' | 'fail'>
  outbox: Pick<Outbox, 'edit' | 'editToMedia'>
  status: OrderStatus
  texts: Texts
  fetchClip?: typeof fetchClipOverHttp
  /** Where clips may be fetched from. */
  guard: UrlGuard
  /** How long to wait with a clip that could not be fetched. */
  redeliverMs: number
  log: Logger
  signal: AbortSignal
}

/**
 * Shows finished clips.
 *
 * A clip is shown once by construction. A short message is sent first, which notifies, and its id is
 * stored; turning that message into the clip can be repeated after any crash without a second one.
 */
export function createClipDelivery(deps: ClipDeliveryDeps) {
  const { store, outbox, status, texts, redeliverMs, guard, log, signal } = deps
  const { fetchClip = fetchClipOverHttp } = deps
  return { show }

  /** @throws The signal's reason if it aborted. */
  async function show(order: Order): Promise<number | undefined> {
    try {
      const announced = order.resultMessageId === null ? await announce(order) : order
      return await showIn(announced)
    } catch (error) {
      // The user cannot be told. A clip that was made stays charged.
      if (error instanceof ChatUnreachableError)
        return void (await store.fail(order, CHAT_UNREACHABLE))
      if (!(error instanceof ClipUnavailableError)) throw error
      const ids = { orderId: String(order.id) }
      log.warn({ ...errorFacts(error), ...ids }, 'a finished clip could not be fetched')
      return order.ageMs() < DELIVERY_MS_MAX ? redeliverMs : giveUp(order)
    }
  }

  async function showIn(order: Order): Promise<number | undefined> {
    const target = { chatId: Number(order.chatId), messageId: order.resultMessageId ?? 0 }
    const shown = await turnIntoClip(order, target)
    switch (shown) {
      case 'gone':
        // Its user deleted the message that was about to become the clip.
        await store.setResultMessage(order, null)
        return redeliverMs
      case 'impossible':
        return giveUp(order)
    }
    await status.showEnd({ ...order, state: 'delivered' }, { signal })
    await store.setDelivered(order, shown === 'shown' ? [] : [shown])
    return undefined
  }

  /** Sends the message that becomes the clip. */
  async function announce(order: Order): Promise<Order> {
    const text = texts.t(languageOf(order.user), 'clip-ready')
    try {
      const { messageId } = await status.tell(order, text, { signal })
      return await store.setResultMessage(order, messageId)
    } catch (error) {
      // The announcement may be there, under an id that is not known. The status message can become
      // the clip as well; where there is none, the announcement is made once more.
      if (!(error instanceof SendOutcomeUnknownError) || !order.statusMessageId) throw error
      return store.setResultMessage(order, order.statusMessageId)
    }
  }

  /** `impossible`: neither Telegram nor we can show it, and no user is sent there. */
  async function turnIntoClip(
    order: Order,
    target: MessageRef,
  ): Promise<ShownFile | EditOutcome | 'impossible'> {
    const url = order.resultUrls[0] ?? ''
    const media = mediaOf(order)
    if (media.kind !== 'video') return 'impossible'
    const video = { type: 'video', ...shapeOf(media.request), caption: captionOf(order) } as const
    try {
      if (isPublicUrl(url)) {
        return await outbox.editToMedia(target, { ...video, source: { url } }, { signal })
      }
    } catch (error) {
      if (!(error instanceof MediaRefusedError)) throw error
    }
    try {
      const bytes = await fetchClip(url, { guard, signal })
      const source = { bytes, fileName: `clip-${order.id}.mp4` }
      return await outbox.editToMedia(target, { ...video, source }, { signal })
    } catch (error) {
      const isNoClip = error instanceof ClipRefusedError
      const isUnfit = error instanceof ClipTooLargeError || error instanceof MediaRefusedError
      if (!isNoClip && !isUnfit) throw error
      log.warn({ ...errorFacts(error), orderId: String(order.id) }, 'clip refused')
      if (isNoClip || !isPublicUrl(url)) return 'impossible'
      const text = texts.t(languageOf(order.user), 'clip-link', { url })
      return outbox.edit(target, text, { signal })
    }
  }

  async function giveUp(order: Order): Promise<number> {
    await store.fail(order, UNDELIVERABLE)
    return 0
  }
}
