/** Names the message that asked for something: one that is handled twice asks once. */
export function messageOrigin(chatId: number, messageId: number): string {
  return `message ${chatId} ${messageId}`
}

/** The same of a button. @param pressId The same when the press is handled again. */
export function pressOrigin(pressId: string): string {
  return `press ${pressId}`
}

/** Checks whether it names a message. */
export function isMessageOrigin(originKey: string | null): boolean {
  return originKey?.startsWith('message ') ?? false
}
