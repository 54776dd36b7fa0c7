/** Under which id a message is found in the page. */
export function elementIdOf(messageId: number): string {
  return `message-${messageId}`
}
