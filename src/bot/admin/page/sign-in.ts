/** Signs users in by a link or by Telegram's `initData`, and judges each request by its session, role and origin. */
import { createHmac, timingSafeEqual } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import { readTime } from '../../../platform/database/prisma.ts'
import { isJsonObject, parseJson } from '../../../platform/http/json.ts'
import { languageOf, USER_FIELDS } from '../../people/users.ts'
import { type Language, toLanguage } from '../../texts/texts.ts'
import { beginSession, endSession, findSession, takeInitData, takeTicket } from './tokens.ts'
import { type AdminPage, PageRefused, type Visitor } from './visit.ts'

/** Telegram's `initData` may be used for so long, once. A page that is reloaded has a session. */
const AGE_S_MAX = 600
/** Clocks differ. */
const AHEAD_S_MAX = 60
const BEARER = /^Bearer +(\S+) *$/i
const READS = new Set(['GET', 'HEAD'])

/**
 * Signs in by the token of a link, or by what Telegram gave a Mini App. Counts failed tries by the client's address.
 *
 * @returns The token of a new session.
 * @throws {PageRefused} 401, or 429 after ten failed tries in a minute.
 */
export async function signIn(
  page: AdminPage,
  fields: URLSearchParams,
  address: string,
): Promise<string> {
  const retryAfterMs = page.tries.waitMsOf(address)
  if (retryAfterMs > 0) throw new PageRefused(429, 'page-busy', { retryAfterMs })
  const link = fields.get('link')
  const signing =
    link === null ? signInByData(page, fields.get('initData') ?? '') : signInByLink(page, link)
  return signing.catch((error: unknown) => {
    if (error instanceof PageRefused) page.tries.noteFailure(address)
    throw error
  })
}

async function signInByLink(page: AdminPage, link: string): Promise<string> {
  const ticket = await takeTicket(page.prisma, 'sign_in', link)
  if (typeof ticket === 'string') throw new PageRefused(401, `page-link-${ticket}`)
  await requireRole(page, ticket.userId)
  return beginSession(page.prisma, ticket.userId)
}

async function signInByData({ botToken, ...page }: AdminPage, initData: string): Promise<string> {
  const { prisma } = page
  const checked = checkInitData(initData, { botToken, now: await readTime(prisma) })
  if (typeof checked === 'string') throw new PageRefused(401, `page-init-data-${checked}`)
  await requireRole(page, checked.userId)
  if (!(await takeInitData(prisma, checked))) throw new PageRefused(401, 'page-init-data-used')
  return beginSession(prisma, checked.userId)
}

/**
 * Finds the visitor of a request, and judges what they may: a role that is taken away ends the session at once.
 *
 * @param forViewers True if the request changes only the visitor's own session.
 * @param isUse False if the page asks by itself: an open page does not keep its session.
 * @throws {PageRefused} 401 without an open session or a role, 403 if a viewer would change something.
 */
export async function requireVisitor(
  page: AdminPage,
  request: FastifyRequest,
  { forViewers = false, isUse = true } = {},
): Promise<Visitor & { language: Language }> {
  const token = BEARER.exec(request.headers.authorization ?? '')?.[1]
  if (token === undefined) throw new PageRefused(401, 'page-sign-in')
  const userId = await findSession(page.prisma, token, { isUse })
  if (userId === undefined) throw new PageRefused(401, 'page-session-over')
  const { role, name, languageCode } = await readUser(page, userId)
  if (role === undefined) {
    await endSession(page.prisma, token)
    throw new PageRefused(401, 'page-no-role')
  }
  if (role !== 'admin' && !READS.has(request.method) && !forViewers) {
    throw new PageRefused(403, 'page-viewer')
  }
  return { userId, role, name, token, language: readLanguage(request, languageCode) }
}

async function requireRole(page: Pick<AdminPage, 'prisma' | 'access'>, id: number): Promise<void> {
  const { role } = await readUser(page, id)
  if (role === undefined) throw new PageRefused(401, 'page-no-role')
}

export async function readUser(
  { prisma, access }: Pick<AdminPage, 'prisma' | 'access'>,
  id: number,
) {
  const user = await prisma.user.findUnique({ where: { id }, select: USER_FIELDS })
  // An admin by ADMIN_IDS may never have written to the bot.
  const role = access.roleOf(user ?? { id, admission: null, role: null })
  return { role, name: user?.firstName ?? '', languageCode: user ? languageOf(user) : undefined }
}

/**
 * Refuses a request that changes something and does not come from our own page. A browser sends no token of
 * a session by itself, so no other site could use one; this holds even if a token were ever kept in a cookie.
 *
 * Ours is the origin that others reach this process under, and, if the request was sent to another host, the one
 * that it was sent to. The scheme is a part of it: a page of our name by http may be anybody's on the way.
 *
 * @throws {PageRefused} 403.
 */
export function requireOwnOrigin(request: FastifyRequest, publicUrl: string | undefined): void {
  const { method, headers, protocol } = request
  if (READS.has(method)) return
  const publicRoot = URL.parse(publicUrl ?? '')
  const asked = URL.parse(`${protocol}://${headers.host}`)
  const own = asked?.host === publicRoot?.host ? [publicRoot] : [publicRoot, asked]
  const origin = URL.parse(headers.origin ?? '')?.origin
  const isOwn = origin !== undefined && own.some((root) => root?.origin === origin)
  if (!isOwn) throw new PageRefused(403, 'page-foreign')
}

/** The language chosen on the page, else the user's in the bot, else the browser's. */
export function readLanguage({ headers }: FastifyRequest, languageCode?: string): Language {
  const chosen = headers['x-language']
  return toLanguage(
    typeof chosen === 'string' ? chosen : (languageCode ?? headers['accept-language']),
  )
}

/**
 * Checks the `initData` that a Mini App claims to have of Telegram.
 *
 * The bot's token is the key, so data that Telegram made for another bot is invalid here.
 *
 * @returns The user, and the hash by which the same data is recognized.
 * @see https://core.telegram.org/bots/webapps#validating-data-received-via-the-mini-app
 */
export function checkInitData(
  initData: string,
  { botToken, now }: { botToken: string; now: Date },
): { userId: number; hash: string } | 'invalid' | 'expired' {
  const entries = [...new URLSearchParams(initData)]
  const fields = new Map(entries)
  const hash = fields.get('hash')
  // If a name comes twice, it is not known which of the two counts.
  if (fields.size !== entries.length || hash === undefined || !isSigned(fields, hash, botToken)) {
    return 'invalid'
  }
  const userId = userIdOf(fields.get('user'))
  const signedAt = fields.get('auth_date') ?? ''
  if (userId === undefined || !/^\d{1,12}$/.test(signedAt)) return 'invalid'
  const ageS = now.getTime() / 1000 - Number(signedAt)
  if (ageS < -AHEAD_S_MAX) return 'invalid'
  return ageS > AGE_S_MAX ? 'expired' : { userId, hash: hash.toLowerCase() }
}

function isSigned(fields: ReadonlyMap<string, string>, hash: string, botToken: string): boolean {
  // `signature` stays in: it is for others, who do not have the token, and this hash covers it.
  const checked = [...fields]
    .filter(([name]) => name !== 'hash')
    .map(([name, value]) => `${name}=${value}`)
    .sort()
    .join('\n')
  const key = createHmac('sha256', 'WebAppData').update(botToken).digest()
  const expected = createHmac('sha256', key).update(checked).digest()
  const given = Buffer.from(/^[0-9a-f]{64}$/i.test(hash) ? hash : '', 'hex')
  return given.length === expected.length && timingSafeEqual(given, expected)
}

function userIdOf(json: string | undefined): number | undefined {
  const user = parseJson(json ?? '')
  const id = isJsonObject(user) ? user.id : undefined
  return typeof id === 'number' && Number.isSafeInteger(id) && id > 0 ? id : undefined
}
