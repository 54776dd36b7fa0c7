import type { Logger } from 'pino'
import type { Texts } from '../locales/texts.ts'
import { errorFacts } from '../telegram/error-facts.ts'
import {
  ChatUnreachableError,
  MediaRefusedError,
  SendOutcomeUnknownError,
} from '../telegram/errors.ts'
import type { MessageRef, Outbox } from '../telegram/outbox/outbox.ts'
import { languageOf } from '../users.ts'
import { chatUnreachable, type Failure, givenUp, UNDELIVERABLE } from './failure.ts'
import {
  ClipTooLargeError,
  ClipUnavailableError,
  fetchClip as fetchClipOverHttp,
  isPublicUrl,
} from './fetch-clip.ts'
import type { OrderStatus } from './order-status.ts'
import type { Order, OrderStore } from './order-store.ts'
import { captionOf, failureText, shapeOf } from './order-texts.ts'

/** How often a user may delete the message that is about to become the clip. */
const TARGETS_MAX = 3
/** How long a clip that cannot be fetched is tried again, from its order on. */
const DELIVERY_MS_MAX = 24 * 3600_000

export interface DelivererDeps {
  store: Pick<OrderStore, 'setClipMessage' | 'fail' | 'end'>
  outbox: Pick<Outbox, 'send' | 'edit' | 'editToVideo'>
  status: OrderStatus
  texts: Texts
  fetchClip?: typeof fetchClipOverHttp
  log: Logger
  now: () => number
}

/**
 * Ends leased orders: shows the clip, or says why there is none.
 *
 * A clip is shown once by construction. A short message is sent first, which notifies, and its id is
 * stored; turning that message into the clip can be repeated after any crash without a second one.
 */
export function createDeliverer(deps: DelivererDeps) {
  const { store, outbox, status, texts, log, now, fetchClip = fetchClipOverHttp } = deps
  return { deliver }

  /**
   * @returns `later` if the clip cannot be fetched for now.
   * @throws The signal's reason if it aborted.
   */
  async function deliver(order: Order, signal: AbortSignal): Promise<'ended' | 'later'> {
    try {
      if (order.state === 'failed') return await tellFailure(order, signal)
      return await showClip(order, signal)
    } catch (error) {
      if (error instanceof ChatUnreachableError) return endUnreachable(order)
      if (!(error instanceof ClipUnavailableError)) throw error
      log.warn(
        { ...errorFacts(error), orderId: String(order.id) },
        'a finished clip could not be fetched',
      )
      if (now() - order.createdAt.getTime() < DELIVERY_MS_MAX) return 'later'
      return giveUp(order, signal)
    }
  }

  async function showClip(order: Order, signal: AbortSignal): Promise<'ended' | 'later'> {
    for (let targets = 1; targets <= TARGETS_MAX; targets++) {
      const target = await announceClip(order, signal)
      const outcome = await turnIntoClip(order, target, signal)
      if (outcome === 'impossible') return giveUp(order, signal)
      if (outcome === 'shown') {
        await status.showEnd({ ...order, state: 'delivered' }, { signal })
        await store.end(order, { state: 'delivered' })
        return 'ended'
      }
      await setTarget(order, null)
    }
    return 'later'
  }

  /** The message that becomes the clip: the one stored, or one sent now. */
  async function announceClip(order: Order, signal: AbortSignal): Promise<MessageRef> {
    const chatId = Number(order.chatId)
    if (order.clipMessageId !== null) return { chatId, messageId: order.clipMessageId }
    const messageId = await sendReady(order, signal)
    await setTarget(order, messageId)
    return { chatId, messageId }
  }

  async function sendReady(order: Order, signal: AbortSignal): Promise<number> {
    const text = texts.t(languageOf(order.user), 'clip-ready')
    try {
      return (await status.tell(order, text, signal)).messageId
    } catch (error) {
      // The announcement may be there, under an id that nobody knows. The status message can become
      // the clip as well; where there is none, the announcement is made once more.
      if (!(error instanceof SendOutcomeUnknownError) || !order.statusMessageId) throw error
      return order.statusMessageId
    }
  }

  /** `impossible`: neither Telegram nor we can fetch it, and no user could. */
  async function turnIntoClip(
    order: Order,
    target: MessageRef,
    signal: AbortSignal,
  ): Promise<'shown' | 'gone' | 'impossible'> {
    const url = order.resultUrl ?? ''
    const video = { ...shapeOf(order), caption: captionOf(order), signal }
    try {
      if (isPublicUrl(url)) return await outbox.editToVideo(target, { url }, video)
    } catch (error) {
      if (!(error instanceof MediaRefusedError)) throw error
    }
    try {
      const bytes = await fetchClip(url, signal)
      const fileName = `clip-${order.id}.mp4`
      return await outbox.editToVideo(target, { bytes, fileName }, video)
    } catch (error) {
      const isRefused = error instanceof ClipTooLargeError || error instanceof MediaRefusedError
      if (!isRefused) throw error
      log.warn({ ...errorFacts(error), orderId: String(order.id) }, 'clip refused by Telegram')
      if (!isPublicUrl(url)) return 'impossible'
      const text = texts.t(languageOf(order.user), 'clip-link', { url })
      return outbox.edit(target, text, { final: true, signal })
    }
  }

  async function giveUp(order: Order, signal: AbortSignal): Promise<'ended'> {
    await fail(order, givenUp(UNDELIVERABLE))
    return tellFailure(order, signal)
  }

  async function tellFailure(order: Order, signal: AbortSignal): Promise<'ended'> {
    const text = failureText(order, texts)
    let isTold = true
    if (order.clipMessageId !== null) {
      // It said that a clip comes, or it says this already.
      const target = { chatId: Number(order.chatId), messageId: order.clipMessageId }
      await outbox.edit(target, text, { final: true, signal })
    } else {
      try {
        await setTarget(order, (await status.tell(order, text, signal)).messageId)
      } catch (error) {
        if (!(error instanceof SendOutcomeUnknownError)) throw error
        isTold = false
      }
    }
    await status.showEnd(order, isTold ? { signal } : { text, signal })
    await store.end(order)
    return 'ended'
  }

  /** Nobody is there to read. A clip that was made stays charged. */
  async function endUnreachable(order: Order): Promise<'ended'> {
    log.warn({ orderId: String(order.id) }, 'the user of an order cannot be reached')
    if (order.state === 'failed') await store.end(order)
    else await store.fail(order, chatUnreachable())
    return 'ended'
  }

  async function fail(order: Order, failure: Failure): Promise<void> {
    await store.fail(order, failure)
    order.state = 'failed'
    order.errorCode = failure.code
  }

  async function setTarget(order: Order, messageId: number | null): Promise<void> {
    await store.setClipMessage(order, messageId)
    order.clipMessageId = messageId
  }
}
