/** A message of the bench to the process that plays Telegram. */
export type ToTelegram = { type: 'ask'; userId: number; text: string } | { type: 'count' }

/** A message of that process to the bench. Instants are milliseconds since 1970, with fractions. */
export type FromTelegram =
  | { type: 'ready'; apiRoot: string; token: string }
  /** A message of the bot that is new, or has a new text. */
  | { type: 'shown'; chatId: number; text: string; at: number }
  | Figures

export interface Figures {
  type: 'figures'
  /** Calls that name a chat. */
  calls: number
  /** Calls refused with 429. */
  floods: number
  /** The most calls in any second. */
  mostInASecond: number
}
