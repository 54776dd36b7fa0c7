import { isIP } from 'node:net'
import type { FastifyRequest } from 'fastify'
import { PageRefusal } from '../../../platform/http/page-refusal.ts'

const READS = new Set(['GET', 'HEAD'])
/** The types that a form of any page can send to any address without asking. */
const FORM_TYPES = /^\s*(text\/plain|multipart\/form-data|application\/x-www-form-urlencoded)\b/i

/**
 * Keeps pages of other sites out: the page can play every person, without a password.
 *
 * The owner of a DNS name could point it at this machine, which would make their page one of ours to the browser. An IP address and `localhost` cannot.
 *
 * @throws {PageRefusal} 403, or 415 for a body that a form could have sent.
 */
export function requireOwnPage({ method, headers }: FastifyRequest): void {
  const { origin } = headers
  const own = URL.parse(`http://${headers.host}`)
  if (own === null || !isPlainAddress(own.hostname)) {
    throw new PageRefusal(
      403,
      'The playground is not open under this name: open it by its IP address, or as localhost.',
    )
  }
  if (READS.has(method)) return
  if (origin !== undefined && URL.parse(origin)?.host !== own.host) {
    throw new PageRefusal(403, 'The request does not come from the page of this playground.')
  }
  // A browser names the origin of every form it sends, so one of our own page is no other site's.
  if (origin === undefined && FORM_TYPES.test(headers['content-type'] ?? 'text/plain')) {
    throw new PageRefusal(415, 'JSON expected')
  }
}

/**
 * Keeps other sites from what the page reads as well: they could not see the answers, and could hold every stream that
 * there is. A link to the page itself may be anywhere.
 *
 * @throws {PageRefusal} 403.
 */
export function requireOwnSite({ headers }: FastifyRequest): void {
  const site = headers['sec-fetch-site']
  if (site === 'cross-site' || site === 'same-site') {
    throw new PageRefusal(403, 'The request does not come from the page of this playground.')
  }
}

function isPlainAddress(name: string): boolean {
  const isLocal = name === 'localhost' || name.endsWith('.localhost')
  return isLocal || isIP(name.replace(/^\[|\]$/g, '')) !== 0
}
