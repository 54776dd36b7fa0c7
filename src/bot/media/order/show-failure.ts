import type { Logger } from 'pino'
import type { Texts } from '../../locales/texts.ts'
import { ChatUnreachableError, SendOutcomeUnknownError } from '../../telegram/errors.ts'
import type { Outbox } from '../../telegram/outbox/outbox.ts'
import type { AgainButtons } from './again-buttons.ts'
import type { OrderStatus } from './order-status.ts'
import type { Order, OrderStore } from './order-store.ts'
import { failureText } from './order-texts.ts'

export interface FailureNoticesDeps {
  store: Pick<OrderStore, 'setResultMessage' | 'end'>
  outbox: Pick<Outbox, 'edit'>
  status: OrderStatus
  texts: Texts
  againButtons: Pick<AgainButtons, 'belowFailure'>
  log: Logger
  signal: AbortSignal
}

/** Says that an order was cancelled, or once why it failed, and ends it. */
export function createFailureNotices(deps: FailureNoticesDeps) {
  const { store, outbox, status, texts, againButtons, log, signal } = deps
  return { tell, tellCancelled }

  /** @throws The signal's reason if it aborted. */
  function tell(order: Order): Promise<undefined> {
    return tellAndEnd(order, () => showFailure(order))
  }

  async function tellAndEnd(order: Order, show: () => Promise<void>): Promise<undefined> {
    try {
      await show()
    } catch (error) {
      if (!(error instanceof ChatUnreachableError)) throw error
      log.warn({ orderId: String(order.id) }, 'the user of an order cannot be reached')
    }
    await store.end(order)
  }

  /** @throws The signal's reason if it aborted. */
  function tellCancelled(order: Order): Promise<undefined> {
    return tellAndEnd(order, () => status.showEnd(order, { signal }))
  }

  async function showFailure(order: Order): Promise<void> {
    const text = failureText(order, texts)
    const keyboard = againButtons.belowFailure(order)
    if (order.resultMessageId !== null) {
      // It said that a clip comes, or it says this already.
      const target = { chatId: Number(order.chatId), messageId: order.resultMessageId }
      await outbox.edit(target, text, { keyboard, signal })
      return status.showEnd(order, { signal })
    }
    try {
      const { messageId } = await status.tell(order, text, { keyboard, signal })
      const told = await store.setResultMessage(order, messageId)
      await status.showEnd(told, { signal })
    } catch (error) {
      // It may not be there: the status message tells it as well.
      if (!(error instanceof SendOutcomeUnknownError)) throw error
      await status.showEnd(order, { text, signal })
    }
  }
}
