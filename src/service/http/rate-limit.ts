import type { MediaKind } from '../../contract/tasks.ts'
import type { LimitStanding } from '../ledger/errors.ts'
import type { RateLimit } from '../ledger/rate-window.ts'

const MINUTE_MS = 60_000

/** The limits of the interface document, each for one account. */
export const CHAT_LIMIT: RateLimit = { kind: 'chat', requestsMax: 30 }

export const SECRET_LIMIT: RateLimit = { kind: 'secret', requestsMax: 10 }

/** Each kind of media has a limit of its own. */
export function creationLimit(kind: MediaKind): RateLimit {
  return { kind, requestsMax: 3 }
}

const DURATION = { type: 'string', pattern: '^(\\d+m)?[\\d.]+s$|^\\d+ms$' }

/** Describes the headers by which a chat tells of its limit, in the words of OpenAI's. */
export const LIMIT_HEADERS = {
  'X-RateLimit-Limit-Requests': {
    type: 'integer',
    minimum: 1,
    description: 'How many chats there may be in a minute.',
  },
  'X-RateLimit-Remaining-Requests': {
    type: 'integer',
    minimum: 0,
    description: 'How many more there may be just now.',
  },
  'X-RateLimit-Reset-Requests': {
    ...DURATION,
    description: 'The time until all of them are there again, such as `1m0s`, `59.5s` or `500ms`.',
  },
} as const

/** Writes how an account stands with a limit. */
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
