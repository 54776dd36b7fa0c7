import type { onRequestHookHandler } from 'fastify'
import { ANY_ORIGIN } from '../../platform/http/cors-origin.ts'

/** What a page may read of an answer's headers beside those that every page may. */
const EXPOSED = [
  'x-request-id',
  'retry-after',
  'x-ratelimit-limit-requests',
  'x-ratelimit-remaining-requests',
  'x-ratelimit-reset-requests',
  'accept-idempotency-key',
].join(', ')

/** Two hours: Chromium keeps no answer to a preflight for longer. */
const PREFLIGHT_AGE_S = 7_200

/**
 * Lets pages of other origins call the API. A preflight is answered here, before authentication: it has no key. It
 * allows whatever headers the page is going to send, since SDKs have some of their own. To a page of an origin that is
 * not listed nothing is said, and its preflight asks for an unknown path.
 *
 * @param origins As browsers write them, or `ANY_ORIGIN`: no browser adds a key by itself, so that a page needs its own.
 */
export function allowOrigins(origins: ReadonlySet<string>): onRequestHookHandler {
  const isAny = origins.has(ANY_ORIGIN)
  return ({ method, headers }, reply, done) => {
    const {
      origin,
      'access-control-request-method': asksForMethod,
      'access-control-request-headers': asksForHeaders,
    } = headers
    // What a cache keeps of an answer to one origin is not for another.
    reply.header('vary', 'origin')
    if (origin === undefined || !(isAny || origins.has(origin))) {
      done()
      return
    }
    reply.header('access-control-allow-origin', isAny ? ANY_ORIGIN : origin)
    if (method !== 'OPTIONS' || asksForMethod === undefined) {
      reply.header('access-control-expose-headers', EXPOSED)
      done()
      return
    }
    reply.headers({
      vary: 'origin, access-control-request-headers',
      'access-control-allow-methods': 'GET, HEAD, POST',
      'access-control-max-age': PREFLIGHT_AGE_S,
    })
    if (asksForHeaders !== undefined) reply.header('access-control-allow-headers', asksForHeaders)
    reply.code(204).send()
  }
}
