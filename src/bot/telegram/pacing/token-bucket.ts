import type { Clock } from '../../../time/clock.ts'

/** A bucket of turns that fills steadily, one turn a gap. Both may change between calls. */
export interface TokenBucket {
  /** The instant from which a turn may be taken if `burst` of them may follow each other at once. */
  freeAt(burst: number): number
  take(): void
}

/** Keeps one number: when the bucket would be full again. */
export function createTokenBucket(clock: Clock, gapMs: () => number): TokenBucket {
  let fullAt = Number.NEGATIVE_INFINITY
  return {
    freeAt: (burst) => fullAt - (burst - 1) * gapMs(),
    take: () => {
      fullAt = Math.max(fullAt, clock.now()) + gapMs()
    },
  }
}
