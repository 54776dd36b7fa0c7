const TIMEOUT_MS = 30_000

export type PlaygroundChange =
  | { kind: 'sent' | 'edited' | 'deleted'; chatId: number; messageId: number }
  | { kind: 'chat'; chatId: number }
  | { kind: 'person'; userId: number }
  | { kind: 'answered'; callbackQueryId: string }
  | { kind: 'call'; seq: number }

/** Calls every listener at once, in the order in which they subscribed. */
export function createChanges() {
  const listeners = new Set<(change: PlaygroundChange) => void>()
  return { emit, subscribe }

  function emit(change: PlaygroundChange): void {
    for (const listener of [...listeners]) listener(change)
  }

  function subscribe(listener: (change: PlaygroundChange) => void): () => void {
    listeners.add(listener)
    return () => listeners.delete(listener)
  }
}

export type Changes = ReturnType<typeof createChanges>

interface WaitOptions {
  changes: Changes
  describe: () => string
  timeoutMs?: number | undefined
}

/**
 * Resolves with the first truthy thing that `look` returns, looking now and after every change.
 *
 * Its time-out runs on the machine's time, also where the playground has another clock.
 */
export function waitForChange<T>(
  look: () => T | undefined | null | false,
  { changes, describe, timeoutMs = TIMEOUT_MS }: WaitOptions,
): Promise<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>()
  const unsubscribe = changes.subscribe(check)
  const timer = setTimeout(() => {
    reject(new Error(`Nothing to see within ${timeoutMs} ms.\n${describe()}`))
  }, timeoutMs)
  check()
  return promise.finally(() => {
    clearTimeout(timer)
    unsubscribe()
  })

  function check(): void {
    try {
      const found = look()
      if (found) resolve(found)
    } catch (error) {
      reject(error)
    }
  }
}
