import type { Logger } from 'pino'
import type { Texts } from '../../locales/texts.ts'
import { ChatUnreachableError } from '../../telegram/errors.ts'
import type { AgainButtons } from '../again.ts'
import type { OrderStatus } from './order-status.ts'
import type { Order, OrderStore } from './order-store.ts'
import { statusText } from './order-texts.ts'

export interface FailureMessagesDeps {
  store: Pick<OrderStore, 'setResultMessage' | 'end'>
  status: OrderStatus
  texts: Texts
  againButtons: Pick<AgainButtons, 'belowFailure'>
  log: Logger
  signal: AbortSignal
}

/** Shows that an order was cancelled, or once why it failed, and ends it. */
export function createFailureMessages(deps: FailureMessagesDeps) {
  const { store, status, texts, againButtons, log, signal } = deps
  return { show, showCancelled }

  function show(order: Order): Promise<undefined> {
    return showAndEnd(order, () => showFailure(order))
  }

  async function showAndEnd(order: Order, showLast: () => Promise<void>): Promise<undefined> {
    try {
      await showLast()
    } catch (error) {
      if (!(error instanceof ChatUnreachableError)) throw error
      log.warn({ orderId: String(order.id) }, 'the user of an order cannot be reached')
    }
    await store.end(order)
  }

  function showCancelled(order: Order): Promise<undefined> {
    return showAndEnd(order, async () => void (await status.showEnd(order, { signal })))
  }

  async function showFailure(order: Order): Promise<void> {
    const keyboard = againButtons.belowFailure(order)
    const isAnnounced = order.resultMessageId !== null
    const told = isAnnounced ? { ...order, statusMessageId: order.resultMessageId } : order
    if ((await status.showEnd(told, { keyboard, signal })) === 'gone') {
      const { messageId } = await status.reply(order, statusText(order, { texts }), {
        keyboard,
        signal,
      })
      await store.setResultMessage(order, messageId)
    }
    if (isAnnounced && order.resultMessageId !== order.statusMessageId) {
      await status.giveWay(order, { signal })
    }
  }
}
