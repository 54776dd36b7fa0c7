/** A change that a watcher of the playground may want to look at. */
export type PlaygroundChange =
  | { kind: 'sent' | 'edited' | 'deleted'; chatId: number; messageId: number }
  /**
   * A call arrived, began to wait or ended; an update was brought to the webhook, or the attempt failed.
   * Both are recorded.
   */
  | { kind: 'call' | 'delivery' }

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
