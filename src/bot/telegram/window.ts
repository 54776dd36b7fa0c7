import type { Clock } from './clock.ts'

/** Remembers when calls went, for as long as they count. */
export interface Window {
  /** Calls that lie in the window now. */
  count(): number
  /** The instant from which fewer than that many lie in it. */
  whenBelow(count: number): number
  take(): void
}

/** A window that slides: `whenBelow(20)` before each call means 20 in any stretch of that length. */
export function createWindow(clock: Clock, windowMs: number): Window {
  let taken: number[] = []
  return {
    count: () => recent().length,
    whenBelow: (count) => {
      const blocking = taken.at(-count)
      return blocking === undefined ? Number.NEGATIVE_INFINITY : blocking + windowMs
    },
    take: () => {
      taken = [...recent(), clock.now()]
    },
  }

  function recent(): number[] {
    const now = clock.now()
    return taken.filter((at) => at + windowMs > now)
  }
}
