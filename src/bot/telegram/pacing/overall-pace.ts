import type { Clock } from '../../../platform/time/clock.ts'
import type { FloodWait, OrderedUrgency } from './chat-queue.ts'
import type { SendLimits } from './send-limits.ts'
import { createSlidingWindow } from './sliding-window.ts'
import { createSlowdown } from './slowdown.ts'
import { createTokenBucket } from './token-bucket.ts'

const FACTOR_MAX = 4
/** So many chats refused one after the other, with no call done between them: nothing goes through. */
const FLOODS_IN_A_ROW = 3
/** One call of so many is kept for what is new: it does not wait for edits. */
const RESERVED_OF = 30
/** So many edits may follow each other at once: timers end late, and what they cost is made up for. */
const EDITS_BURST = 2

/**
 * How often anything goes to Telegram.
 *
 * Keeps this instance's part of the calls in any stretch of the window. What is interim goes at an
 * even pace, a last state as long as room for one call stays free, and what is new while there is any room.
 */
export function createOverallPace(
  clock: Clock,
  { calls, windowMs, instances }: SendLimits['overall'] & { instances: () => number },
) {
  const slowdown = createSlowdown(clock, { factorMax: FACTOR_MAX })
  const window = createSlidingWindow(clock, windowMs)
  const edits = createTokenBucket(clock, () => windowMs / allowedEdits())
  const flooded = new Set<number>()
  let pausedUntil = Number.NEGATIVE_INFINITY
  let learntAt = Number.NEGATIVE_INFINITY
  return {
    freeAt: (urgency: OrderedUrgency) => {
      if (urgency === 'new') return Math.max(pausedUntil, window.whenBelow(allowed()))
      const freeAt = Math.max(pausedUntil, window.whenBelow(allowedEdits()))
      return urgency === 'final' ? freeAt : Math.max(freeAt, edits.freeAt(EDITS_BURST))
    },
    take: (urgency: OrderedUrgency) => {
      if (urgency === 'interim') edits.take()
      return window.take()
    },
    /**
     * Returns whether typing may go: half of what is allowed stays free, and one call for each text that is
     * expected.
     */
    mayType: (expected: number) => {
      const kept = Math.max(Math.floor(allowed() / 2), expected)
      if (kept >= allowed()) return false
      return Math.max(pausedUntil, window.whenBelow(allowed() - kept)) <= clock.now()
    },
    gapMs: () => windowMs / allowed(),
    done: () => flooded.clear(),
    /**
     * Takes in a 429 to a chat that had been left alone: it is about all of them.
     *
     * @returns Whether nothing goes at all from here on, for as long as it asks.
     */
    flooded: ({ chatId, startedAt, retryAfterMs }: FloodWait & { startedAt: number }) => {
      const isNew = !flooded.has(chatId)
      flooded.add(chatId)
      const isForAll = flooded.size >= FLOODS_IN_A_ROW
      if (isForAll) pause(retryAfterMs)
      // A call that was on its way at the last lesson teaches nothing new.
      if (isNew && startedAt > learntAt) {
        learntAt = clock.now()
        slowdown.learn(0)
      }
      return isForAll
    },
    pause,
  }

  function pause(ms: number): void {
    pausedUntil = Math.max(pausedUntil, clock.now() + ms)
  }

  function allowed(): number {
    return Math.max(1, Math.floor(calls / (instances() * slowdown.factor())))
  }

  function allowedEdits(): number {
    return Math.max(1, allowed() - Math.ceil(allowed() / RESERVED_OF))
  }
}
