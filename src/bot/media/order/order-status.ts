import type { InlineKeyboardMarkup } from 'grammy/types'
import type { Logger } from 'pino'
import type { Clock } from '../../../platform/time/clock.ts'
import type { Texts } from '../../locales/texts.ts'
import { languageOf } from '../../people/users.ts'
import type { QueuePosition } from '../../queue.ts'
import { errorFacts } from '../../telegram/error-facts.ts'
import { ChatUnreachableError, SendOutcomeUnknownError } from '../../telegram/errors.ts'
import type { EditOptions, EditOutcome, Extras, Outbox } from '../../telegram/send.ts'
import type { Order, OrderStore } from './order-store.ts'
import { nextStatusInMs, statusText } from './order-texts.ts'

/** An edit on the way is not worth a longer wait: a newer one comes. */
const EDIT_MS_MAX = 2_500
/** Telegram takes no more edits at once: others are not begun. */
const EDITS_MAX = 50

export interface OrderStatusDeps {
  store: Pick<OrderStore, 'setStatusMessage' | 'setStatusDue'>
  outbox: Pick<Outbox, 'send' | 'edit' | 'editInterim' | 'remove'>
  texts: Texts
  /** How long an order can be cancelled at least, from when its message is shown. */
  cancelMs: number
  statusMs: number
  clock: Clock
  log: Logger
}

/** Telegram lets a bot delete its messages for two days; a card may be a day older than its order. */
const REMOVABLE_MS = 24 * 3600_000

/**
 * Shows the status of an order in a message: the one that asked for a yes, else a new one. It is edited from then on,
 * and makes no sound.
 *
 * Only the owner of the order's lease edits it. The edits before the end are few, and dropped rather than
 * queued; the end is shown for certain.
 */
export function createOrderStatus(deps: OrderStatusDeps) {
  const { store, outbox, texts, cancelMs, statusMs, clock, log } = deps
  let editing = 0
  const hasRoom = () => editing < EDITS_MAX
  return { announce, follow, refresh, hasRoom, showEnd, giveWay, reply }

  /**
   * From then on its user has a moment to press it.
   *
   * @throws {ChatUnreachableError} If its user cannot be reached.
   */
  async function announce(order: Order, signal?: AbortSignal): Promise<Order> {
    const text = statusText(order, { texts })
    const options = { keyboard: cancelKeyboard(order, texts), signal }
    const isShown = (await editStatus(order, text, options)) === 'shown'
    const messageId = isShown ? order.statusMessageId : await sendStatus(order, text, options)
    return store.setStatusMessage(order, {
      statusMessageId: messageId ?? 0,
      leavesInMs: cancelMs,
    })
  }

  /** @returns 0 where it is not known whether the message was sent. */
  async function sendStatus(order: Order, text: string, options: EditOptions): Promise<number> {
    try {
      return (await reply(order, text, { ...options, isSilent: true })).messageId
    } catch (error) {
      // It may be there. One more would confuse, one less is no loss.
      if (!(error instanceof SendOutcomeUnknownError)) throw error
      return 0
    }
  }

  async function editStatus(
    { chatId, statusMessageId }: Order,
    text: string,
    options: EditOptions,
  ): Promise<EditOutcome> {
    const messageId = statusMessageId ?? 0
    if (messageId === 0) return 'gone'
    return outbox.edit({ chatId: Number(chatId), messageId }, text, options)
  }

  function follow(order: Order) {
    let shown: string | undefined
    let freeAt = clock.now()
    let last: Promise<unknown> = Promise.resolve()
    return {
      show,
      freeInMs: () => Math.max(0, freeAt - clock.now()),
      /** Resolves when no edit is under way any more: another process may show what comes next. */
      settled: () => last,
    }

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

  async function showEnd(order: Order, options: EditOptions): Promise<EditOutcome> {
    return editStatus(order, statusText(order, { texts }), options)
  }

  async function giveWay(order: Order, { signal }: Pick<EditOptions, 'signal'>): Promise<void> {
    const messageId = order.statusMessageId ?? 0
    if (messageId === 0) return
    if (order.ageMs() < REMOVABLE_MS) {
      return outbox.remove({ chatId: Number(order.chatId), messageId }, { signal })
    }
    await editStatus(order, statusText({ ...order, state: 'delivered' }, { texts }), { signal })
  }

  function reply(order: Order, text: string, { signal, ...extras }: ReplyOptions = {}) {
    return outbox.send({ ...destinationOf(order), text, ...extras }, { signal })
  }
}

type ReplyOptions = EditOptions & Pick<Extras, 'isSilent'>

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
