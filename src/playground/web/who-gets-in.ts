import { createHmac, timingSafeEqual } from 'node:crypto'
import { isIP } from 'node:net'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { PageRefusal } from '../../platform/http/page.ts'

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

/** Derives the key of a page that others reach from the bot's token: it is the same after a restart. */
export function pageKeyOf(token: string): string {
  return createHmac('sha256', token).update('page of the playground').digest('base64url')
}

/**
 * Lets in who has the key of the page: in the address that the start printed, which leaves a cookie, in that cookie, or
 * as a bearer token. The Bot API has its own, the bot's.
 *
 * @param cookie Its name, by which playgrounds of several bots on one host are told apart.
 * @returns True if the request is answered: the browser is sent on to the page, without the key in its address.
 * @throws {PageRefusal} 401.
 */
export function admitByKey(
  request: FastifyRequest,
  reply: FastifyReply,
  { key, cookie }: { key: string; cookie: string },
): boolean {
  const { headers, method } = request
  const { pathname, searchParams } = new URL(request.url, 'http://localhost')
  const isEntry = method === 'GET' && pathname === '/'
  if (isEntry && isSame(searchParams.get('key'), key)) {
    reply.header('set-cookie', `${cookie}=${key}; HttpOnly; SameSite=Strict; Path=/`)
    reply.redirect('/', 303)
    return true
  }
  const cookies = (headers.cookie ?? '').split(';').map((each) => each.trim())
  const inCookie = cookies.find((each) => each.startsWith(`${cookie}=`))?.slice(cookie.length + 1)
  const bearer = /^Bearer +(\S+)$/i.exec(headers.authorization ?? '')?.[1]
  if (isSame(inCookie, key) || isSame(bearer, key)) return false
  throw new PageRefusal(
    401,
    'Others reach this playground, so it wants its key: open the address that the start printed.',
  )
}

function isSame(given: string | null | undefined, key: string): boolean {
  const bytes = Buffer.from(given ?? '')
  return bytes.length === key.length && timingSafeEqual(bytes, Buffer.from(key))
}

function isPlainAddress(name: string): boolean {
  const isLocal = name === 'localhost' || name.endsWith('.localhost')
  return isLocal || isIP(name.replace(/^\[|\]$/g, '')) !== 0
}

/** Checks whether only this machine reaches a server on this host: an address, or a name. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || host.startsWith('127.')
}

/** Describes who reaches a playground on this host; undefined if only this machine does. */
export function describeExposure(host: string): string | undefined {
  if (isLoopback(host)) return undefined
  return `HOST is ${host}: others reach the page. Anyone with the key in its address can read every chat and write as
any person. Without HOST only this machine reaches the page, and it has no key.`
}
