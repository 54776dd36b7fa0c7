import type { MediaKind } from '../../contract/tasks.ts'
import type { LimitStanding } from '../ledger/errors.ts'
import type { RateLimit } from '../ledger/rate-window.ts'

const MINUTE_MS = 60_000

/** The limits of the interface document, each for one account. */
export const CHAT_LIMIT: RateLimit = { kind: 'chat', requestsMax: 30 }

export const SECRET_LIMIT: RateLimit = { kind: 'secret', requestsMax: 10 }

/** Returns the limit of one kind of media. */
export function creationLimit(kind: MediaKind): RateLimit {
  return { kind, requestsMax: 3 }
}

/** Writes the headers about an account's limit, in OpenAI's words. */
export function toLimitHeaders({ requestsMax, requestsLeft, resetMs }: LimitStanding) {
  return {
    'x-ratelimit-limit-requests': requestsMax,
    'x-ratelimit-remaining-requests': requestsLeft,
    'x-ratelimit-reset-requests': toDuration(Math.ceil(resetMs)),
  }
}

function toDuration(ms: number): string {
  if (ms < 1000) return `${ms}ms`
  const minutes = Math.floor(ms / MINUTE_MS)
  return `${minutes === 0 ? '' : `${minutes}m`}${(ms % MINUTE_MS) / 1000}s`
}
