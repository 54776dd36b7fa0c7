import { createHmac, timingSafeEqual } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import { readTime } from '../../../platform/database/prisma.ts'
import { isJsonObject, parseJson } from '../../../platform/http/json.ts'
import { languageOf, USER_FIELDS } from '../../people/users.ts'
import { type Language, toLanguage } from '../../texts/texts.ts'
import { type Html, html } from './html.ts'
import { BEHIND_MORE, frame, icon, nameOf, sectionName } from './layout.ts'
import type { TicketRefusal } from './tokens.ts'
import { type AdminPage, hrefOf, PageRefused, type View, type Visitor } from './visit.ts'

/** Telegram's `initData` may be used for so long, once. A page that is reloaded has a session. */
const AGE_S_MAX = 600
/** Clocks differ. */
const AHEAD_S_MAX = 60
const BEARER = /^Bearer +(\S+) *$/i
const READS = new Set(['GET', 'HEAD'])

const LINK_REFUSALS: Readonly<Record<TicketRefusal, string>> = {
  used: 'page-link-used',
  expired: 'page-link-expired',
  unknown: 'page-link-unknown',
}

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
  const { tries, tickets, sessions } = page
  const retryAfterMs = tries.waitMsOf(address)
  if (retryAfterMs > 0) throw new PageRefused(429, 'page-busy', { retryAfterMs })
  try {
    const [link, initData] = [fields.get('link'), fields.get('initData')]
    const found = link === null ? await readInitData(page, initData ?? '') : await takeLink(link)
    const user = await readUser(page, found.userId)
    if (user.role === undefined) throw new PageRefused(401, 'page-no-role')
    if ('hash' in found && !(await tickets.takeInitData(found))) {
      throw new PageRefused(401, 'page-init-data-used')
    }
    return await sessions.begin(found.userId)
  } catch (error) {
    if (error instanceof PageRefused) tries.noteFailure(address)
    throw error
  }

  async function takeLink(link: string) {
    const ticket = await tickets.take('sign_in', link)
    if (typeof ticket === 'string') throw new PageRefused(401, LINK_REFUSALS[ticket])
    return ticket
  }
}

/**
 * Finds the visitor of a request, and judges what they may: a role that is taken away ends the session at once.
 *
 * @param forViewers True if the request changes only the visitor's own session.
 * @throws {PageRefused} 401 without an open session or a role, 403 if a viewer would change something.
 */
export async function requireVisitor(
  page: AdminPage,
  request: FastifyRequest,
  { forViewers = false } = {},
): Promise<Visitor & { language: Language }> {
  const token = BEARER.exec(request.headers.authorization ?? '')?.[1]
  if (token === undefined) throw new PageRefused(401, 'page-sign-in')
  const userId = await page.sessions.use(token)
  if (userId === undefined) throw new PageRefused(401, 'page-session-over')
  const { role, name, languageCode } = await readUser(page, userId)
  if (role === undefined) {
    await page.sessions.end(token)
    throw new PageRefused(401, 'page-no-role')
  }
  if (role !== 'admin' && !READS.has(request.method) && !forViewers) {
    throw new PageRefused(403, 'page-viewer')
  }
  return { userId, role, name, token, language: readLanguage(request, languageCode) }
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

/** Shows why the reader is not signed in, and how to sign in. */
export function signInCard(t: (key: string) => string, key: string): Html {
  const isProblem = !['page-sign-in', 'page-signed-out'].includes(key)
  return html`<main class="alone"><section class="card sign-in">
    <h1 tabindex="-1">${t(isProblem ? 'page-sign-in' : key)}</h1>
    ${isProblem && html`<p class="note problem" role="alert">${t(key)}</p>`}
    <p>${t('page-sign-in-how')}</p>
    ${languageChoice()}
  </section></main>`
}

/** The view More: sections without a tab on phones, the signed-in user, the language and sign-out. */
export const more: View = {
  async show(visit) {
    const { visitor, page } = visit
    const { userId, name, role } = visitor
    const links = BEHIND_MORE.map(
      (section) => html`<li><a class="item" href="${hrefOf(section)}">
        ${icon(section)}<span class="grow">${sectionName(visit, section)}</span>${icon('forward')}</a></li>`,
    )
    return frame(visit, {
      title: sectionName(visit, 'more'),
      content: html`<ul class="card list phone-only">${links}</ul>
        <section class="card stack">
          <div><p class="hint">${visit.t('page-signed-in-as')}</p>
            <h2>${nameOf(visit, { id: userId, name, username: null })}</h2>
            <p class="hint">${visit.t('page-role-name', { role })}</p></div>
          ${role === 'viewer' && html`<p>${visit.t('page-viewer')}</p>`}
          <p class="hint">${visit.t('page-time-zone', { timeZone: page.settings.timeZone })}</p>
          <div><h3>${visit.t('page-language')}</h3>${languageChoice()}</div>
          <form method="post" action="sign-out"><button type="submit" class="quiet">${visit.t('page-sign-out')}</button></form>
        </section>`,
    })
  },
}

/** Offers each language by its own name. */
function languageChoice(): Html {
  return html`<p class="row">
    <button type="button" class="quiet" data-language="en" lang="en">English</button>
    <button type="button" class="quiet" data-language="ru" lang="ru">Русский</button>
  </p>`
}

export async function readUser({ prisma, access }: AdminPage, id: number) {
  const user = await prisma.user.findUnique({ where: { id }, select: USER_FIELDS })
  // An admin by ADMIN_IDS may never have written to the bot.
  const role = access.roleOf(user ?? { id, admission: null, role: null })
  return { role, name: user?.firstName ?? '', languageCode: user ? languageOf(user) : undefined }
}

async function readInitData({ botToken, prisma }: AdminPage, initData: string) {
  const checked = checkInitData(initData, { botToken, now: await readTime(prisma) })
  if (typeof checked === 'string') throw new PageRefused(401, `page-init-data-${checked}`)
  return checked
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
