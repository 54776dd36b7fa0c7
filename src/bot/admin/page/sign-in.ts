/**
 * Signs users in by a link or by Telegram's `initData`, and judges each request by its session, role and origin.
 *
 * Sessions and tickets have tokens; a ticket allows one thing once. The database has only the hash of a token, so
 * reading it opens nothing. The only clock is the database's.
 */
import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import type { PrismaClient } from '../../../platform/database/generated/client.ts'
import type { TicketPurpose } from '../../../platform/database/generated/enums.ts'
import { readTime } from '../../../platform/database/prisma.ts'
import { isJsonObject, parseJson } from '../../../platform/http/json.ts'
import { languageOf, USER_FIELDS } from '../../people/users.ts'
import { type Language, toLanguage } from '../../texts/texts.ts'
import { type AdminPage, PageRefused, type Visitor } from './visit.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const IDLE_MS = 2 * HOUR_MS
const SESSION_MS = 12 * HOUR_MS
const GOOD_FOR_MS = { sign_in: 5 * MINUTE_MS, download: MINUTE_MS }
/** How long `initData` is valid for its single use. A reloaded page has a session. */
const AGE_S_MAX = 600
/** Tolerance for clocks that differ. */
const AHEAD_S_MAX = 60
const BEARER = /^Bearer +(\S+) *$/i
const READS = new Set(['GET', 'HEAD'])

type Tokens = Pick<PrismaClient, 'dashboardSession' | 'dashboardTicket' | '$queryRaw'>

/**
 * Signs in by the token of a link, or by the `initData` of a Mini App.
 *
 * @param address Failed tries are counted by it.
 * @returns The token of a new session, which is stored nowhere.
 * @throws {PageRefused} 401, or 429 after ten failed tries in a minute.
 */
export async function signIn(
  page: AdminPage,
  fields: URLSearchParams,
  address: string,
): Promise<string> {
  const retryAfterMs = page.tries.waitMsOf(address)
  if (retryAfterMs > 0) throw new PageRefused(429, 'page-busy', retryAfterMs)
  try {
    const link = fields.get('link')
    const userId = await (link === null
      ? takeInitData(page, fields.get('initData') ?? '')
      : takeLink(page, link))
    const { role } = await readUser(page, userId)
    if (role === undefined) throw new PageRefused(401, 'page-no-role')
    return await beginSession(page.prisma, userId)
  } catch (error) {
    if (error instanceof PageRefused) page.tries.noteFailure(address)
    throw error
  }
}

async function takeLink({ prisma }: AdminPage, link: string): Promise<number> {
  const ticket = await takeTicket(prisma, 'sign_in', link)
  if (ticket === undefined) throw new PageRefused(401, 'page-link-over')
  return ticket.userId
}

/** Uses up `initData`. Its row outlives its validity. */
async function takeInitData({ prisma, botToken }: AdminPage, initData: string): Promise<number> {
  const now = await readTime(prisma)
  const checked = checkInitData(initData, { botToken, now })
  if (checked === undefined) throw new PageRefused(401, 'page-init-data')
  const { userId, hash } = checked
  const expiresAt = new Date(now.getTime() + HOUR_MS)
  const purpose: TicketPurpose = 'sign_in'
  const ticket = { tokenHash: hashOf(hash), userId, purpose, expiresAt, usedAt: now }
  const { count } = await prisma.dashboardTicket.createMany({
    data: [ticket],
    skipDuplicates: true,
  })
  if (count === 0) throw new PageRefused(401, 'page-init-data')
  return userId
}

async function beginSession(prisma: Tokens, userId: number): Promise<string> {
  const [token, now] = [makeToken(), await readTime(prisma)]
  const data = { tokenHash: hashOf(token), userId, beganAt: now, usedAt: now }
  await prisma.dashboardSession.create({ data })
  return token
}

/**
 * Finds the visitor of a request: loss of the role ends the session at once.
 *
 * @param isUse False for the page's own polling: an open page does not extend its session.
 * @throws {PageRefused} 401 without an open session or a role.
 */
export async function requireVisitor(
  page: AdminPage,
  request: FastifyRequest,
  { isUse }: { isUse: boolean },
): Promise<Visitor> {
  const token = BEARER.exec(request.headers.authorization ?? '')?.[1]
  if (token === undefined) throw new PageRefused(401, 'page-sign-in')
  const userId = await findSession(page.prisma, token, isUse)
  if (userId === undefined) throw new PageRefused(401, 'page-session-over')
  const { role, name, languageCode } = await readUser(page, userId)
  if (role === undefined) {
    await endSession(page.prisma, token)
    throw new PageRefused(401, 'page-no-role')
  }
  return { userId, role, name, token, language: readLanguage(request, languageCode) }
}

async function findSession(prisma: Tokens, token: string, isUse: boolean) {
  const now = await readTime(prisma)
  const where = {
    tokenHash: hashOf(token),
    usedAt: { gt: before(now, IDLE_MS) },
    beganAt: { gt: before(now, SESSION_MS) },
  }
  const [session] = isUse
    ? await prisma.dashboardSession.updateManyAndReturn({ where, data: { usedAt: now } })
    : await prisma.dashboardSession.findMany({ where })
  return session && Number(session.userId)
}

export async function endSession(prisma: Tokens, token: string): Promise<void> {
  await prisma.dashboardSession.deleteMany({ where: { tokenHash: hashOf(token) } })
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

/** Makes a ticket for one sign-in or one file. @returns Its token, which is stored nowhere. */
export async function makeTicket(
  prisma: Tokens,
  purpose: TicketPurpose,
  { userId, request }: { userId: number; request?: Readonly<Record<string, string>> },
): Promise<string> {
  const [token, now] = [makeToken(), await readTime(prisma)]
  const expiresAt = new Date(now.getTime() + GOOD_FOR_MS[purpose])
  const ticket = { tokenHash: hashOf(token), userId, purpose, expiresAt }
  await prisma.dashboardTicket.create({ data: { ...ticket, ...(request && { request }) } })
  return token
}

/** Consumes a ticket, for only one of concurrent requests; undefined if it is used, too old or unknown. */
export async function takeTicket(
  prisma: Tokens,
  purpose: TicketPurpose,
  token: string,
): Promise<{ userId: number; request: unknown } | undefined> {
  const now = await readTime(prisma)
  const [ticket] = await prisma.dashboardTicket.updateManyAndReturn({
    where: { tokenHash: hashOf(token), purpose, usedAt: null, expiresAt: { gt: now } },
    data: { usedAt: now },
  })
  return ticket && { userId: Number(ticket.userId), request: ticket.request }
}

export async function purgeTokens(prisma: Tokens): Promise<void> {
  const now = await readTime(prisma)
  const isIdle = { usedAt: { lte: before(now, IDLE_MS) } }
  const isOld = { beganAt: { lte: before(now, SESSION_MS) } }
  await prisma.dashboardSession.deleteMany({ where: { OR: [isIdle, isOld] } })
  await prisma.dashboardTicket.deleteMany({ where: { expiresAt: { lte: now } } })
}

/**
 * Refuses a cross-site request that changes data.
 *
 * Our origins are PUBLIC_URL and, if the request was sent to another host, that host. The scheme counts: anybody on
 * the way can serve a page of our name by http.
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

export function readLanguage({ headers }: FastifyRequest, languageCode?: string): Language {
  return toLanguage(languageCode ?? headers['accept-language'])
}

/**
 * Validates the `initData` of a Mini App; the bot's token is the key.
 *
 * @returns The user, and a hash that identifies the data; undefined if it is invalid or too old.
 * @see https://core.telegram.org/bots/webapps#validating-data-received-via-the-mini-app
 */
export function checkInitData(
  initData: string,
  { botToken, now }: { botToken: string; now: Date },
): { userId: number; hash: string } | undefined {
  const entries = [...new URLSearchParams(initData)]
  const fields = new Map(entries)
  // A repeated name is ambiguous.
  if (fields.size !== entries.length) return undefined
  const { hash = '', user = '', auth_date: signedAt = '' } = Object.fromEntries(fields)
  if (!isSigned(fields, hash, botToken) || !/^\d{1,12}$/.test(signedAt)) return undefined
  const ageS = now.getTime() / 1000 - Number(signedAt)
  const userId = userIdOf(user)
  if (userId === undefined || ageS < -AHEAD_S_MAX || ageS > AGE_S_MAX) return undefined
  return { userId, hash: hash.toLowerCase() }
}

function isSigned(fields: ReadonlyMap<string, string>, hash: string, botToken: string): boolean {
  // `signature` stays in: it serves parties without the token, and this hash covers it.
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

function userIdOf(json: string): number | undefined {
  const user = parseJson(json)
  const id = isJsonObject(user) ? user.id : undefined
  return typeof id === 'number' && Number.isSafeInteger(id) && id > 0 ? id : undefined
}

function makeToken(): string {
  return randomBytes(32).toString('base64url')
}

function hashOf(token: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(createHash('sha256').update(token).digest())
}

function before(now: Date, ms: number): Date {
  return new Date(now.getTime() - ms)
}
