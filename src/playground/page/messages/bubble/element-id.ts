/** Returns the id of a message's element in the page. */
export function elementIdOf(messageId: number): string {
  return `message-${messageId}`
}
