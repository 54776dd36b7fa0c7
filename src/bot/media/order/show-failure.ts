import type { Logger } from 'pino'
import type { Texts } from '../../locales/texts.ts'
import { ChatUnreachableError, SendOutcomeUnknownError } from '../../telegram/errors.ts'
import type { Outbox } from '../../telegram/outbox/outbox.ts'
import type { AgainButtons } from './again-buttons.ts'
import type { OrderStatus } from './order-status.ts'
import type { Order, OrderStore } from './order-store.ts'
import { failureText } from './order-texts.ts'

export interface FailureMessagesDeps {
  store: Pick<OrderStore, 'setResultMessage' | 'end'>
  outbox: Pick<Outbox, 'edit'>
  status: OrderStatus
  texts: Texts
  againButtons: Pick<AgainButtons, 'belowFailure'>
  log: Logger
  signal: AbortSignal
}

/** Shows that an order was cancelled, or once why it failed, and ends it. */
export function createFailureMessages(deps: FailureMessagesDeps) {
  const { store, outbox, status, texts, againButtons, log, signal } = deps
  return { show, showCancelled }

  /** @throws The signal's reason if it aborted. */
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

  /** @throws The signal's reason if it aborted. */
  function showCancelled(order: Order): Promise<undefined> {
    return showAndEnd(order, () => status.showEnd(order, { signal }))
  }

  async function showFailure(order: Order): Promise<void> {
    const text = failureText(order, texts)
    const keyboard = againButtons.belowFailure(order)
    if (order.resultMessageId !== null) {
      // It announced a clip, or it shows the failure already.
      const target = { chatId: Number(order.chatId), messageId: order.resultMessageId }
      await outbox.edit(target, text, { keyboard, signal })
      return status.showEnd(order, { signal })
    }
    try {
      const { messageId } = await status.reply(order, text, { keyboard, signal })
      const shown = await store.setResultMessage(order, messageId)
      await status.showEnd(shown, { signal })
    } catch (error) {
      // It may not be there: the status message shows it as well.
      if (!(error instanceof SendOutcomeUnknownError)) throw error
      await status.showEnd(order, { text, signal })
    }
  }
}
