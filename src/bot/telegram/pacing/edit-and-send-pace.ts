import type { Clock } from '../../../platform/time/clock.ts'
import type { SendLimits } from './send-limits.ts'
import { createSlidingWindow } from './sliding-window.ts'
import { createSlowdown } from './slowdown.ts'
import { createTokenBucket } from './token-bucket.ts'

const FACTOR_MAX = 8

/** The part of a group's minute that edits leave free for what must arrive. */
const RESERVED = 0.25
/** Each call of the last minute makes a group's edits rarer: at first one a second, in the long run one in 5 s. */
const GROUP_EDIT_GAP_MS = 1000
const GROUP_EDIT_GAP_GROWTH = 0.4

/** How often a chat bears a call. */
export interface ChatPace {
  /** The instant from which a call may go. What must arrive may go earlier than what is interim. */
  freeAt(isInterim: boolean): number
  take(at: number): void
  slowDown(retryAfterMs: number): void
  isFresh(): boolean
}

/** Groups have ids below zero. */
export function createChatPace(clock: Clock, limits: SendLimits, chatId: number): ChatPace {
  return chatId < 0
    ? createGroupPace(clock, limits.group)
    : createPrivatePace(clock, limits.private)
}

function createPrivatePace(clock: Clock, { everyMs, burst }: SendLimits['private']): ChatPace {
  const slowdown = createSlowdown(clock, { factorMax: FACTOR_MAX })
  const bucket = createTokenBucket(clock, () => everyMs * slowdown.factor())
  return {
    freeAt: (isInterim) => bucket.freeAt(isInterim || slowdown.factor() > 1 ? 1 : burst),
    take: bucket.take,
    slowDown: slowdown.learn,
    isFresh: () => slowdown.factor() === 1 && bucket.freeAt(1) <= clock.now(),
  }
}

function createGroupPace(clock: Clock, { calls, windowMs }: SendLimits['group']): ChatPace {
  const slowdown = createSlowdown(clock, { factorMax: FACTOR_MAX })
  const window = createSlidingWindow(clock, windowMs)
  let lastAt = Number.NEGATIVE_INFINITY
  return {
    freeAt: (isInterim) => {
      const allowed = Math.max(1, Math.floor(calls / slowdown.factor()))
      if (!isInterim) return window.whenBelow(allowed)
      const gapMs = GROUP_EDIT_GAP_MS * (1 + GROUP_EDIT_GAP_GROWTH * window.count())
      return Math.max(lastAt + gapMs, window.whenBelow(Math.ceil(allowed * (1 - RESERVED))))
    },
    take: (at) => {
      window.add(at)
      lastAt = Math.max(lastAt, at)
    },
    slowDown: slowdown.learn,
    isFresh: () => slowdown.factor() === 1 && window.count() === 0,
  }
}
