import { setTimeout as delay } from 'node:timers/promises'

/** Time for pacing and for waits; its zero means nothing. */
export interface Clock {
  /** Milliseconds that only ever grow. */
  now(): number
  /** Resolves after `delayMs`; rejects with the signal's reason as soon as it is aborted. */
  sleep(delayMs: number, signal?: AbortSignal): Promise<void>
}

/** The machine's own time, untouched by corrections of its date. */
export const systemClock: Clock = {
  now: () => performance.now(),
  async sleep(delayMs, signal) {
    try {
      await delay(delayMs, undefined, signal === undefined ? {} : { signal })
    } catch (error) {
      signal?.throwIfAborted()
      throw error
    }
  },
}
