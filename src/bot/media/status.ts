/**
 * The message of an order: the card that asked for a confirmation, else a new message. It is edited from then on, and
 * makes no sound.
 *
 * Edits on the way are few, and dropped rather than queued; the end is shown for certain.
 */
import type { InlineKeyboardMarkup } from 'grammy/types'
import { languageOf } from '../people/users.ts'
import { errorFacts, isTelegramError } from '../telegram/errors.ts'
import type { EditOptions, EditOutcome, Extras } from '../telegram/send.ts'
import type { Texts } from '../texts/texts.ts'
import type { OrderRows } from './order-rows.ts'
import type { Order, OrdersApp } from './orders-app.ts'
import { statusText } from './texts.ts'

/** An edit on the way is not worth a longer wait: a newer one comes. */
const EDIT_MS_MAX = 2_500
/** Telegram lets a bot delete its messages for two days; a card may be a day older than its order. */
const REMOVABLE_MS = 24 * 3600_000

export interface OrderParts {
  app: OrdersApp
  rows: OrderRows
  status: OrderStatus
  /** Aborted when no further step is to begin in this process. */
  stopping: AbortSignal
  /** Aborted when steps under way are to end. */
  aborted: AbortSignal
}

export class OrderStatus {
  readonly #app: OrdersApp
  readonly #rows: OrderRows
  readonly #aborted: AbortSignal

  constructor(app: OrdersApp, rows: OrderRows, aborted: AbortSignal) {
    this.#app = app
    this.#rows = rows
    this.#aborted = aborted
  }

  /** @throws `chat_unreachable` If its user cannot be reached. */
  async announce(order: Order): Promise<Order> {
    const text = this.#textOf(order)
    const keyboard = cancelKeyboard(order, this.#app.texts)
    const isShown = (await this.#edit(order, text, { keyboard })) === 'shown'
    const shownId = isShown ? order.statusMessageId : await this.#send(order, text, keyboard)
    const statusMessageId = shownId ?? 0
    await this.#rows.setStatusMessage(order, statusMessageId)
    return { ...order, statusMessageId }
  }

  /** A newer status may replace it. It takes at most 2.5 s. */
  async editOnTheWay(order: Order, text: string): Promise<void> {
    const { outbox, texts, log } = this.#app
    const { chatId, statusMessageId: messageId } = order
    if (!messageId) return
    try {
      const signal = AbortSignal.timeout(EDIT_MS_MAX)
      const keyboard = cancelKeyboard(order, texts)
      const target = { chatId: Number(chatId), messageId }
      await outbox.editInterim(target, text, { keyboard, signal })
    } catch (error) {
      // The end meets the same, and learns why.
      if (isTelegramError(error, 'chat_unreachable')) return
      log.warn({ ...errorFacts(error), orderId: String(order.id) }, 'status of an order not shown')
    }
  }

  async showFailure(order: Order): Promise<void> {
    const keyboard = this.#app.againButtons.belowFailure(order)
    const text = this.#textOf(order)
    const { resultMessageId, statusMessageId } = order
    // The message that announced the result explains why it is missing.
    const messageId = resultMessageId ?? statusMessageId
    const outcome = await this.#edit({ ...order, statusMessageId: messageId }, text, { keyboard })
    if (outcome === 'gone') {
      const sent = await this.reply(order, text, { keyboard })
      await this.#rows.change(order, { resultMessageId: sent.messageId })
    }
    if (resultMessageId !== null && resultMessageId !== statusMessageId) await this.giveWay(order)
  }

  async showCancelled(order: Order): Promise<void> {
    await this.#edit(order, this.#textOf(order))
  }

  /** Removes the message of an order whose result has a message of its own. */
  async giveWay(order: Order): Promise<void> {
    const messageId = order.statusMessageId ?? 0
    if (messageId === 0) return
    if (order.ageMs() < REMOVABLE_MS) {
      const target = { chatId: Number(order.chatId), messageId }
      return this.#app.outbox.remove(target, { signal: this.#aborted })
    }
    await this.#edit(order, this.#textOf({ ...order, state: 'delivered' }))
  }

  reply(order: Order, text: string, extras: Pick<Extras, 'keyboard' | 'isSilent'> = {}) {
    const message = { ...destinationOf(order), text, ...extras }
    return this.#app.outbox.send(message, { signal: this.#aborted })
  }

  #textOf(order: Order): string {
    return statusText(order, { texts: this.#app.texts })
  }

  /** @returns 0 if it is not known whether the message was sent. */
  async #send(
    order: Order,
    text: string,
    keyboard: InlineKeyboardMarkup | undefined,
  ): Promise<number> {
    try {
      return (await this.reply(order, text, { keyboard, isSilent: true })).messageId
    } catch (error) {
      // It may be there. One more would confuse, one less is no loss.
      if (!isTelegramError(error, 'outcome_unknown')) throw error
      return 0
    }
  }

  async #edit(
    { chatId, statusMessageId }: Order,
    text: string,
    options: Pick<EditOptions, 'keyboard'> = {},
  ): Promise<EditOutcome> {
    const messageId = statusMessageId ?? 0
    if (messageId === 0) return 'gone'
    const target = { chatId: Number(chatId), messageId }
    return this.#app.outbox.edit(target, text, { ...options, signal: this.#aborted })
  }
}

export function destinationOf({ chatId, threadId, replyToMessageId }: Order) {
  return {
    chatId: Number(chatId),
    threadId,
    // Negative if the command stayed behind in the group that this chat once was.
    replyToMessageId: replyToMessageId > 0 ? replyToMessageId : undefined,
  }
}

export const CANCEL_DATA = /^order:cancel:(\d{1,18})$/

export function cancelKeyboard(
  { id, state, user }: Pick<Order, 'id' | 'state' | 'user'>,
  { t }: Texts,
): InlineKeyboardMarkup | undefined {
  if (state !== 'waiting' && state !== 'placed') return undefined
  const text = t(languageOf(user), 'button-cancel')
  return { inline_keyboard: [[{ text, callback_data: `order:cancel:${id}` }]] }
}
