/** Of an order that a card makes: one, however often it is tapped. */
export function cardOrigin(cardId: bigint): string {
  return `card ${cardId}`
}

/** Of an order that a message asked for. */
export function messageOrigin(chatId: number, messageId: number): string {
  return `message ${chatId} ${messageId}`
}
