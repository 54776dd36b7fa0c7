import type { InlineKeyboardMarkup } from 'grammy/types'
import type { Texts } from '../../locales/texts.ts'
import { languageOf } from '../../people/users/users.ts'
import type { Order } from './order-store.ts'

/** What a press of Cancel says: the order. */
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
