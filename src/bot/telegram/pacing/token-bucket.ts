import type { Clock } from '../../../platform/time/clock.ts'

/**
 * A bucket of turns that fills steadily, one turn a gap. Both may change between calls.
 *
 * Keeps one number: when the bucket would be full again.
 */
export function createTokenBucket(clock: Clock, gapMs: () => number) {
  let fullAt = Number.NEGATIVE_INFINITY
  return {
    freeAt: (burst: number) => fullAt - (burst - 1) * gapMs(),
    take: (at = clock.now()) => {
      fullAt = Math.max(fullAt, at) + gapMs()
    },
  }
}
