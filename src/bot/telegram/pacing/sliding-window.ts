import type { Clock } from '../../../platform/time/clock.ts'

/** A call that has no answer by then has arrived, or never will. */
const ARRIVED_MS = 1000

/**
 * A window that slides: `whenBelow(20)` before each call means 20 in any stretch of that length where
 * they arrive. A call arrives at some time before its answer, so it counts until so long after that.
 */
export function createSlidingWindow(clock: Clock, windowMs: number) {
  let calls: { until: number }[] = []
  /** The latest first; undefined until it is asked for after a change. */
  let ends: number[] | undefined
  return {
    count: () => recent().length,
    whenBelow: (count: number) => {
      ends ??= calls.map(({ until }) => until).sort((one, other) => other - one)
      return ends[count - 1] ?? Number.NEGATIVE_INFINITY
    },
    add: (at: number) => {
      calls = [...recent(), { until: at + windowMs }]
      ends = undefined
    },
    /** @returns To be called when the answer is there; without it a call counts for a second longer. */
    take: () => {
      const call = { until: clock.now() + ARRIVED_MS + windowMs }
      calls = [...recent(), call]
      ends = undefined
      return () => {
        call.until = Math.min(call.until, clock.now() + windowMs)
        ends = undefined
      }
    },
  }

  function recent(): { until: number }[] {
    const now = clock.now()
    return calls.filter(({ until }) => until > now)
  }
}
