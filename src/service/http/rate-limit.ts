import type { preHandlerAsyncHookHandler } from 'fastify'
import { acceptRequest, type RateLimit } from '../ledger/rate-limit.ts'
import type { Sql } from '../ledger/sql.ts'

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

/** Counts requests to a route, and refuses those above its limit with 429. */
export function limitRequests(sql: Sql, limit: RateLimit): preHandlerAsyncHookHandler {
  return async (request) => {
    await acceptRequest(sql, { accountId: request.account.id, limit })
  }
}
