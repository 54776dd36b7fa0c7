import type { RateLimit } from '../ledger/rate-limit.ts'

const MINUTE_MS = 60_000

/** The limits of the interface document, each for one account. */
export const CHAT_LIMIT: RateLimit = {
  route: 'chats/completions',
  requestsMax: 30,
  windowMs: MINUTE_MS,
}

export const SECRET_LIMIT: RateLimit = {
  route: 'callback/secret',
  requestsMax: 10,
  windowMs: MINUTE_MS,
}

/** @param path Of a creation endpoint; each has a limit of its own. */
export function creationLimit(path: string): RateLimit {
  return { route: path, requestsMax: 3, windowMs: MINUTE_MS }
}
