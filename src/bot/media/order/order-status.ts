import type { Logger } from 'pino'
import type { Texts } from '../../locales/texts.ts'
import { errorFacts } from '../../telegram/error-facts.ts'
import { SendOutcomeUnknownError } from '../../telegram/errors.ts'
import type { Outbox } from '../../telegram/outbox/outbox.ts'
import type { Order, OrderStore } from './order-store.ts'
import { statusText } from './order-texts.ts'

const SHOWN_MAX = 10_000

export interface OrderStatusDeps {
  store: Pick<OrderStore, 'setStatusMessage'>
  outbox: Pick<Outbox, 'send' | 'edit' | 'editInterim'>
  texts: Texts
  log: Logger
}

/** The message that tells how an order stands: sent once, edited from then on. */
export function createOrderStatus({ store, outbox, texts, log }: OrderStatusDeps) {
  /** What each message shows, as far as this process knows. */
  const shown = new Map<bigint, string>()
  return { announce, show, showEnd, tell, forget }

  /**
   * Sends the message of an order that has none.
   *
   * @throws {ChatUnreachableError} If its user cannot be reached.
   */
  async function announce(order: Order, signal?: AbortSignal): Promise<Order> {
    const text = statusText(order, { texts, position: 0 })
    let messageId = 0
    try {
      messageId = (await tell(order, text, signal)).messageId
      remember(order.id, text)
    } catch (error) {
      // It may be there. One more would confuse, one less is no loss.
      if (!(error instanceof SendOutcomeUnknownError)) throw error
    }
    return store.setStatusMessage(order, messageId)
  }

  /** Shows how the order stands now, unless it does already. Waits for nothing and never throws. */
  function show(order: Order, position = 0): void {
    const messageId = order.statusMessageId ?? 0
    const text = statusText(order, { texts, position })
    const before = shown.get(order.id)
    if (messageId === 0 || before === text) return
    remember(order.id, text)
    outbox
      .editInterim({ chatId: Number(order.chatId), messageId }, text)
      .then((outcome) => {
        if (outcome === 'dropped' && shown.get(order.id) === text) shown.delete(order.id)
      })
      .catch((error) => {
        shown.delete(order.id)
        log.warn(
          { ...errorFacts(error), orderId: String(order.id) },
          'cannot show how an order stands',
        )
      })
  }

  /** Shows the order's end, or any other last words, for certain. */
  async function showEnd(
    order: Order,
    {
      text = statusText(order, { texts, position: 0 }),
      signal,
    }: { text?: string; signal?: AbortSignal },
  ): Promise<void> {
    const messageId = order.statusMessageId ?? 0
    // The clip may have taken this message's place.
    if (messageId === 0 || messageId === order.resultMessageId) return
    const target = { chatId: Number(order.chatId), messageId }
    await outbox.edit(target, text, { signal })
  }

  /** Answers the order's command. */
  function tell(order: Order, text: string, signal?: AbortSignal) {
    const message = {
      chatId: Number(order.chatId),
      threadId: order.threadId,
      // Negative where the command stayed behind in the group that this chat once was.
      replyToMessageId: order.replyToMessageId > 0 ? order.replyToMessageId : undefined,
      text,
    }
    return outbox.send(message, { signal })
  }

  function remember(orderId: bigint, text: string): void {
    shown.set(orderId, text)
    const [oldest] = shown.keys()
    if (shown.size > SHOWN_MAX && oldest !== undefined) shown.delete(oldest)
  }

  function forget(orderId: bigint): void {
    shown.delete(orderId)
  }
}

export type OrderStatus = ReturnType<typeof createOrderStatus>
