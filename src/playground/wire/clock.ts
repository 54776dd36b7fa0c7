import { setTimeout as delay } from 'node:timers/promises'

/** Time as the playground sees it: every date, wait and deadline goes through here. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number
  /** Resolves after `delayMs`; rejects with the signal's reason as soon as it is aborted. */
  sleep(delayMs: number, signal: AbortSignal): Promise<void>
}

/** The machine's own time. */
export const systemClock: Clock = {
  now: () => Date.now(),
  sleep: async (delayMs, signal) => {
    await delay(delayMs, undefined, { signal })
  },
}

/** Unix time in whole seconds, the form of every date in the Bot API. */
export function unixTime(clock: Clock): number {
  return Math.floor(clock.now() / 1000)
}
