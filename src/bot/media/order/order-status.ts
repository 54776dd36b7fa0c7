import type { InlineKeyboardMarkup } from 'grammy/types'
import type { Logger } from 'pino'
import type { Clock } from '../../../platform/time/clock.ts'
import type { Texts } from '../../locales/texts.ts'
import { languageOf } from '../../people/users.ts'
import type { QueuePosition } from '../../queue/queue-position.ts'
import { errorFacts } from '../../telegram/error-facts.ts'
import { ChatUnreachableError, SendOutcomeUnknownError } from '../../telegram/errors.ts'
import type { EditOptions, Outbox } from '../../telegram/outbox/outbox.ts'
import type { Order, OrderStore } from './order-store.ts'
import { nextStatusInMs, statusText } from './order-texts.ts'

/** An edit on the way is not worth a longer wait: a newer one comes. */
const EDIT_MS_MAX = 2_500
/** Telegram takes no more edits at once: others are not begun. */
const EDITS_MAX = 50

export interface OrderStatusDeps {
  store: Pick<OrderStore, 'setStatusMessage' | 'setStatusDue'>
  outbox: Pick<Outbox, 'send' | 'edit' | 'editInterim'>
  texts: Texts
  /** Between two edits of one order's message on the way to its end. */
  statusMs: number
  clock: Clock
  log: Logger
}

/**
 * Shows the status of an order in a message: sent once, edited from then on.
 *
 * Only the owner of the order's lease edits it. The edits before the end are few, and dropped rather than
 * queued; the end is shown for certain.
 */
export function createOrderStatus(deps: OrderStatusDeps) {
  const { store, outbox, texts, statusMs, clock, log } = deps
  let editing = 0
  /** Checks whether another edit may begin now. */
  const hasRoom = () => editing < EDITS_MAX
  return { announce, follow, refresh, hasRoom, showEnd, reply }

  /**
   * Sends the message of an order that has none.
   *
   * @throws {ChatUnreachableError} If its user cannot be reached.
   */
  async function announce(order: Order, signal?: AbortSignal): Promise<Order> {
    const text = statusText(order, { texts })
    let messageId = 0
    try {
      const keyboard = cancelKeyboard(order, texts)
      messageId = (await reply(order, text, { keyboard, signal })).messageId
    } catch (error) {
      // It may be there. One more would confuse, one less is no loss.
      if (!(error instanceof SendOutcomeUnknownError)) throw error
    }
    return store.setStatusMessage(order, messageId)
  }

  /** Shows the position of an order that waits, as long as this process visits it. */
  function follow(order: Order) {
    let shown: string | undefined
    let freeAt = clock.now()
    let last: Promise<unknown> = Promise.resolve()
    return {
      show,
      /** Milliseconds until the message may be edited again. */
      freeInMs: () => Math.max(0, freeAt - clock.now()),
      /** Resolves when no edit is under way any more: another process may show what comes next. */
      settled: () => last,
    }

    /** Shows a queue position, unless the message has it or was edited just now. */
    function show(position: QueuePosition): void {
      const text = statusText(order, { texts, position })
      if (text === shown || clock.now() < freeAt || !hasRoom()) return
      shown = text
      freeAt = clock.now() + statusMs
      last = edit(order, text).then((outcome) => {
        if (outcome === 'dropped') shown = undefined
      })
    }
  }

  /**
   * Shows how an order that is being made stands now, and says when the words change next. For orders
   * whose `statusDueAt` has come, under their lease; over within 2.5 s, and never throws.
   */
  async function refresh(order: Order): Promise<void> {
    if (!hasRoom()) return
    const outcome = await edit(order, statusText(order, { texts }))
    const changesInMs = nextStatusInMs(order)
    const isOver = outcome === 'gone' || changesInMs === null
    const inMs = isOver ? null : Math.max(changesInMs, statusMs)
    await store.setStatusDue(order, outcome === 'dropped' ? statusMs : inMs).catch((error) => {
      log.warn(
        { ...errorFacts(error), orderId: String(order.id) },
        'next status of an order not recorded',
      )
    })
  }

  async function edit(order: Order, text: string): Promise<'shown' | 'gone' | 'dropped'> {
    const messageId = order.statusMessageId ?? 0
    // It is not known whether there is one.
    if (messageId === 0) return 'gone'
    editing++
    try {
      const target = { chatId: Number(order.chatId), messageId }
      const signal = AbortSignal.timeout(EDIT_MS_MAX)
      const keyboard = cancelKeyboard(order, texts)
      const outcome = await outbox.editInterim(target, text, { keyboard, signal })
      return outcome === 'unneeded' ? 'dropped' : outcome
    } catch (error) {
      // The end meets the same, and learns why.
      if (error instanceof ChatUnreachableError) return 'gone'
      log.warn(
        { ...errorFacts(error), orderId: String(order.id) },
        'cannot show the status of an order',
      )
      return 'dropped'
    } finally {
      editing--
    }
  }

  /** Shows the order's end, or any other last words, for certain. */
  async function showEnd(
    order: Order,
    { text = statusText(order, { texts }), signal }: { text?: string; signal?: AbortSignal },
  ): Promise<void> {
    const messageId = order.statusMessageId ?? 0
    // The result may stand in this message.
    if (messageId === 0 || messageId === order.resultMessageId) return
    const target = { chatId: Number(order.chatId), messageId }
    await outbox.edit(target, text, { signal })
  }

  /** Replies to the message that asked for the order. */
  function reply(order: Order, text: string, { keyboard, signal }: EditOptions = {}) {
    return outbox.send({ ...destinationOf(order), text, keyboard }, { signal })
  }
}

/** Finds where an order's messages go: they reply to the one that asked for it. */
export function destinationOf({ chatId, threadId, replyToMessageId }: Order) {
  return {
    chatId: Number(chatId),
    threadId,
    // Negative where the command stayed behind in the group that this chat once was.
    replyToMessageId: replyToMessageId > 0 ? replyToMessageId : undefined,
  }
}

export type OrderStatus = ReturnType<typeof createOrderStatus>

/** The status of an order that waits. */
export type FollowedStatus = ReturnType<OrderStatus['follow']>

/** The data of Cancel: the order. */
export const CANCEL_DATA = /^order:cancel:(\d{1,18})$/

/** Stands below the message of an order as long as nothing was sent to the service. */
export function cancelKeyboard(
  { id, state, user }: Pick<Order, 'id' | 'state' | 'user'>,
  { t }: Texts,
): InlineKeyboardMarkup | undefined {
  if (state !== 'waiting' && state !== 'placed') return undefined
  const text = t(languageOf(user), 'button-cancel')
  return { inline_keyboard: [[{ text, callback_data: `order:cancel:${id}` }]] }
}
