import type { Changes } from '../updates/changes.ts'

const TIMEOUT_MS = 30_000

/**
 * Resolves with the first truthy thing that `look` returns, looking now and after every change.
 *
 * Its time-out runs on the machine's time, also where the playground has another clock.
 *
 * @param describe Tells in the error what was there instead.
 */
export function waitForChange<T>(
  look: () => T | undefined | null | false,
  deps: { changes: Changes; describe: () => string; timeoutMs?: number },
): Promise<T> {
  const { changes, describe, timeoutMs = TIMEOUT_MS } = deps
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
