import type { Clock } from '../../platform/time/clock.ts'

/** Telegram's limits: about 1 message a second in a chat, with short bursts, 20 a minute in a group, 30 a second in all. */
export interface SendLimits {
  /** Edits count like messages, in all limits. */
  overall: { calls: number; windowMs: number }
  /** The burst is for calls that must arrive. */
  private: { everyMs: number; burst: number }
  group: { calls: number; windowMs: number }
}

export const SEND_LIMITS: SendLimits = {
  overall: { calls: 30, windowMs: 1000 },
  private: { everyMs: 1000, burst: 3 },
  group: { calls: 20, windowMs: 60_000 },
}

/** A call that has no answer by then has arrived, or never will. */
const ARRIVED_MS = 1000
const SLOWDOWN_STEP = 2
/** A return to the old pace at once makes the next 429 longer. */
const CAREFUL_MS = 60_000
const CHAT_SLOWDOWN_MAX = 8
const OVERALL_SLOWDOWN_MAX = 4

/** The part of a group's minute that edits leave free for calls that must arrive. */
const GROUP_RESERVED = 0.25
/** Each call of the last minute makes a group's edits rarer: at first one a second, in the long run one in 5 s. */
const GROUP_EDIT_GAP_MS = 1000
const GROUP_EDIT_GAP_GROWTH = 0.4

/** After refusals in so many chats, without a successful call between them, sending stops in all chats. */
const FLOODS_IN_A_ROW = 3
/** One call of so many is reserved for new messages: they do not wait for edits. */
const RESERVED_OF = 30
/** So many edits may follow each other at once, because timers end late. */
const EDITS_BURST = 2

export interface ChatPace {
  freeAt(isInterim: boolean): number
  /** Counts a call that has its answer. */
  take(): void
  slowDown(retryAfterMs: number): void
}

/** Groups have negative ids. */
export function createChatPace(clock: Clock, limits: SendLimits, chatId: number): ChatPace {
  const slowdown = createSlowdown(clock, CHAT_SLOWDOWN_MAX)
  const createPace = chatId < 0 ? createGroupPace : createPrivatePace
  return { ...createPace(clock, limits, slowdown.factor), slowDown: slowdown.learn }
}

function createPrivatePace(clock: Clock, limits: SendLimits, slowness: () => number) {
  const { everyMs, burst } = limits.private
  const bucket = createTokenBucket(clock, () => everyMs * slowness())
  return {
    freeAt: (isInterim: boolean) => bucket.freeAt(isInterim || slowness() > 1 ? 1 : burst),
    take: bucket.take,
  }
}

function createGroupPace(clock: Clock, limits: SendLimits, slowness: () => number) {
  const { calls, windowMs } = limits.group
  const window = createSlidingWindow(clock, windowMs)
  let lastAt = Number.NEGATIVE_INFINITY
  return {
    freeAt: (isInterim: boolean) => {
      const allowed = Math.max(1, Math.floor(calls / slowness()))
      if (!isInterim) return window.freeAt(allowed)
      const gapMs = GROUP_EDIT_GAP_MS * (1 + GROUP_EDIT_GAP_GROWTH * window.count())
      return Math.max(lastAt + gapMs, window.freeAt(Math.ceil(allowed * (1 - GROUP_RESERVED))))
    },
    take: () => {
      lastAt = clock.now()
      const answered = window.take()
      answered()
    },
  }
}

/**
 * Edits go evenly, last states while room for one call stays free, new messages while there is any room.
 *
 * @param share The part of the limit that this process may use: > 0, at most 1.
 */
export function createOverallPace(
  clock: Clock,
  { calls, windowMs }: SendLimits['overall'],
  share: () => number,
) {
  const slowdown = createSlowdown(clock, OVERALL_SLOWDOWN_MAX)
  const window = createSlidingWindow(clock, windowMs)
  const edits = createTokenBucket(clock, () => windowMs / allowedEdits())
  const flooded = new Set<number>()
  let pausedUntil = Number.NEGATIVE_INFINITY
  return {
    freeAt: (urgency: 'new' | 'final' | 'interim') => {
      const free = whenBelow(urgency === 'new' ? allowed() : allowedEdits())
      return urgency === 'interim' ? Math.max(free, edits.freeAt(EDITS_BURST)) : free
    },
    /** @returns To be called with the call's answer. */
    take: (isInterim: boolean) => {
      if (isInterim) edits.take()
      return window.take()
    },
    /** Checks whether half of what is allowed stays free. */
    mayType: () => whenBelow(Math.ceil(allowed() / 2)) <= clock.now(),
    done: () => flooded.clear(),
    /** Learns from a 429 in a quiet chat: several in a row mean the limit of all chats. */
    flooded: (chatId: number, retryAfterMs: number) => {
      flooded.add(chatId)
      if (flooded.size < FLOODS_IN_A_ROW) return
      // Calls that were on their way teach nothing more.
      if (pausedUntil <= clock.now()) slowdown.learn(retryAfterMs)
      pausedUntil = Math.max(pausedUntil, clock.now() + retryAfterMs)
    },
  }

  function whenBelow(count: number): number {
    return Math.max(pausedUntil, window.freeAt(count))
  }

  function allowed(): number {
    return Math.max(1, Math.floor((calls * share()) / slowdown.factor()))
  }

  function allowedEdits(): number {
    return Math.max(1, allowed() - Math.ceil(allowed() / RESERVED_OF))
  }
}

/** Counts calls in a window that slides. A call arrives at some time before its answer, so it counts from its answer. */
function createSlidingWindow(clock: Clock, windowMs: number) {
  let calls: { until: number }[] = []
  return {
    count: () => recent().length,
    freeAt: (count: number) => {
      const ends = recent().map(({ until }) => until)
      return ends.sort((one, other) => other - one)[count - 1] ?? Number.NEGATIVE_INFINITY
    },
    /** @returns To be called with the answer; without it the call counts for a second longer. */
    take: () => {
      const call = { until: clock.now() + ARRIVED_MS + windowMs }
      calls = [...recent(), call]
      return () => {
        call.until = Math.min(call.until, clock.now() + windowMs)
      }
    },
  }

  function recent(): { until: number }[] {
    const now = clock.now()
    return calls.filter(({ until }) => until > now)
  }
}

/** A bucket of turns that fills steadily. Keeps the instant at which it would be full again. */
function createTokenBucket(clock: Clock, gapMs: () => number) {
  let fullAt = Number.NEGATIVE_INFINITY
  return {
    freeAt: (burst: number) => fullAt - (burst - 1) * gapMs(),
    take: () => {
      fullAt = Math.max(fullAt, clock.now()) + gapMs()
    },
  }
}

/** Learns from 429s how much slower than allowed to go, and forgets it a step a minute. */
function createSlowdown(clock: Clock, factorMax: number) {
  let current = 1
  let easesAt = 0
  return { factor, learn }

  function factor(): number {
    while (current > 1 && easesAt <= clock.now()) {
      current /= SLOWDOWN_STEP
      easesAt += CAREFUL_MS
    }
    return current
  }

  function learn(retryAfterMs: number): void {
    current = Math.min(factor() * SLOWDOWN_STEP, factorMax)
    easesAt = clock.now() + retryAfterMs + CAREFUL_MS
  }
}
