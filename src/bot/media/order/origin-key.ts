/** Of an order that a message asked for. */
export function messageOrigin(chatId: number, messageId: number): string {
  return `message ${chatId} ${messageId}`
}
