/** A change that a watcher of the playground may want to look at. */
export type PlaygroundChange =
  | { kind: 'sent' | 'edited' | 'deleted'; chatId: number; messageId: number }
  | { kind: 'draft'; chatId: number; draftId: string }
  | { kind: 'action'; chatId: number; action: string }
  | { kind: 'answered'; callbackQueryId: string }
  | { kind: 'commands' }
  | { kind: 'update'; updateId: number }
  /** An update was brought to the webhook, or the attempt failed. */
  | { kind: 'delivery'; updateId: number }
  /** A call arrived, began to wait or ended: look at its record. */
  | { kind: 'call'; method: string }

/** Tells every listener at once, in the order in which they subscribed. */
export function createChanges() {
  const listeners = new Set<(change: PlaygroundChange) => void>()
  return { emit, subscribe }

  function emit(change: PlaygroundChange): void {
    for (const listener of [...listeners]) listener(change)
  }

  /** @returns Ends the subscription. */
  function subscribe(listener: (change: PlaygroundChange) => void): () => void {
    listeners.add(listener)
    return () => listeners.delete(listener)
  }
}

export type Changes = ReturnType<typeof createChanges>
