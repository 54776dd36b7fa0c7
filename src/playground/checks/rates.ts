import type { Clock } from '../../platform/time/clock.ts'
import type { StoredChat } from '../state.ts'
import { tooManyRequests } from '../wire/envelope.ts'

/**
 * `real` holds a call back for a few seconds before it refuses one, as Telegram does; `eager` refuses
 * at the first excess; `off` has no limits.
 */
export type FloodProfile = 'real' | 'eager' | 'off'

export type RateKind = 'send' | 'edit' | 'typing'

const TYPING_HIDDEN_MS = 2_000
const MESSAGE_HIDDEN_MS = 8_000
const BAN_MAX_MS = 300_000
const BAN_GROWTH_MS = 1_000
const BULK_AFTER_MS = 60_000

/** The numbers are plausible, not Telegram's: those are unpublished. */
const LIMITS = {
  typing: { burst: 3, everyMs: 1_000 },
  private: { burst: 4, everyMs: 1_000 },
  group: { burst: 20, windowMs: 60_000 },
  bulk: { burst: 30, everyMs: 1_000 / 30 },
}

type Limits = (typeof LIMITS)[keyof typeof LIMITS]

interface Bucket {
  /** How long a call made now would have to wait. */
  waitMs(now: number): number
  take(at: number): void
  banUntil: number
}

export function createRates({ profile, clock }: { profile: FloodProfile; clock: Clock }) {
  const buckets = new Map<string, Bucket>()
  return { admit }

  /**
   * Counts a call and says how long it has to be held.
   *
   * @throws {ApiError} 429. Nothing is counted, and calls during the time named in it prolong it.
   */
  function admit(kind: RateKind, chat: StoredChat): number {
    if (profile === 'off') return 0
    const now = clock.now()
    const concerned = bucketsFor(kind, chat)
    const banUntil = Math.max(...concerned.map((bucket) => bucket.banUntil))
    if (banUntil > now) {
      const prolonged = Math.min(banUntil + BAN_GROWTH_MS, now + BAN_MAX_MS)
      return refuse(concerned, Math.max(banUntil, prolonged), now)
    }
    const waitMs = Math.max(...concerned.map((bucket) => bucket.waitMs(now)))
    const hiddenMs = kind === 'typing' ? TYPING_HIDDEN_MS : MESSAGE_HIDDEN_MS
    const isHeld = profile === 'real' && waitMs <= hiddenMs
    if (waitMs > 0 && !isHeld) {
      return refuse(concerned, now + Math.max(1, Math.ceil(waitMs / 1000)) * 1000, now)
    }
    for (const bucket of concerned) bucket.take(now + waitMs)
    return waitMs
  }

  function refuse(concerned: readonly Bucket[], banUntil: number, now: number): never {
    for (const bucket of concerned) {
      // Only what is full, or already closed, stays closed: a full chat must not close the others.
      if (bucket.banUntil > now || bucket.waitMs(now) > 0) bucket.banUntil = banUntil
    }
    throw tooManyRequests(Math.ceil((banUntil - now) / 1000))
  }

  function bucketsFor(kind: RateKind, chat: StoredChat): Bucket[] {
    if (kind === 'typing') return [bucket(`typing:${chat.id}`, LIMITS.typing)]
    const limits = chat.type === 'private' ? LIMITS.private : LIMITS.group
    const ofChat = bucket(`chat:${chat.id}`, limits)
    const sinceIncomingMs =
      clock.date().getTime() - (chat.lastIncomingAt ?? Number.NEGATIVE_INFINITY)
    const isBulk = kind === 'send' && sinceIncomingMs > BULK_AFTER_MS
    return isBulk ? [ofChat, bucket('bulk', LIMITS.bulk)] : [ofChat]
  }

  function bucket(name: string, limits: Limits): Bucket {
    const known = buckets.get(name)
    if (known) return known
    const made = 'windowMs' in limits ? slidingWindow(limits) : tokenBucket(limits)
    buckets.set(name, made)
    return made
  }
}

export type Rates = ReturnType<typeof createRates>

/** Refills steadily. Keeps the instant at which it would be full again, which may lie far ahead. */
function tokenBucket({ burst, everyMs }: typeof LIMITS.bulk): Bucket {
  let fullAt = Number.NEGATIVE_INFINITY
  return {
    banUntil: Number.NEGATIVE_INFINITY,
    // Half a millisecond of slack swallows the rounding of fractions such as 1000 / 30.
    waitMs: (now) => {
      const wait = fullAt - now - (burst - 1) * everyMs
      return wait > 0.5 ? wait : 0
    },
    take: (at) => {
      fullAt = Math.max(fullAt, at) + everyMs
    },
  }
}

/** Allows at most `burst` calls in any stretch of `windowMs`. */
function slidingWindow({ burst, windowMs }: typeof LIMITS.group): Bucket {
  let taken: number[] = []
  return {
    banUntil: Number.NEGATIVE_INFINITY,
    waitMs: (now) => {
      taken = taken.filter((at) => at > now - windowMs)
      const blocking = taken.at(-burst)
      return blocking === undefined ? 0 : Math.max(0, blocking + windowMs - now)
    },
    take: (at) => {
      taken.push(at)
    },
  }
}
