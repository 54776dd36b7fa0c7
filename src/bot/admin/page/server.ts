/**
 * The page at `/admin`: views that the server writes as HTML, for admins and viewers.
 *
 * In: requests of the page's one script, `client.js`. Out: a shell without data for everybody; views, files and live
 * figures for visitors with a session. Changes go through the operations that the commands use. Invariant: every request
 * is judged by its session, the role of its user and, if it changes something, its origin; `html` escapes every value.
 */
import type { FastifyError, FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import type { Sweep } from '../../../platform/database/instance/sweep.ts'
import { pageHeaders } from '../../../platform/http/page.ts'
import { createTries } from '../../people/tries.ts'
import { createTexts, type Texts } from '../../texts/texts.ts'
import { access } from './access.ts'
import { changes } from './changes.ts'
import { check } from './check.ts'
import { orderFile, sendFile } from './downloads.ts'
import { type Html, html } from './html.ts'
import { missing } from './layout.ts'
import { limits } from './limits.ts'
import { createSignInLinks, PAGE_PATH } from './links.ts'
import { createRecentOutlook, LiveStreams } from './live.ts'
import { overview } from './overview.ts'
import { settings } from './settings.ts'
import { readFiles, shell } from './shell.ts'
import {
  more,
  readLanguage,
  requireOwnOrigin,
  requireVisitor,
  signIn,
  signInCard,
} from './sign-in.ts'
import { themeSheet } from './theme.ts'
import { createSessions, createTickets } from './tokens.ts'
import { user, users } from './users.ts'
import { type AdminPage, type PageParts, PageRefused, type View, Visit } from './visit.ts'

const VIEWS: ReadonlyMap<string, View> = new Map(
  Object.entries({
    overview,
    users,
    check,
    limits,
    access,
    settings,
    changes,
    more,
  }),
)

const BODY_BYTES_MAX = 16 * 1024
/** A bot that is starting is there soon. */
const STARTING_MS = 2_000
const YEAR_S = 365 * 24 * 3600

/** Telegram's clients in the browser; each shows a Mini App in a frame. Its other apps have no frame. */
const FRAMED_BY = [
  'https://web.telegram.org',
  'https://weba.telegram.org',
  'https://webk.telegram.org',
  'https://webz.telegram.org',
]

/** Builds the page of a bot. */
export function createAdminPage(parts: PageParts & { sweep: Pick<Sweep, 'add'>; pool: Pool }) {
  const sessions = createSessions(parts.pool)
  const tickets = createTickets(parts.pool)
  const readOutlook = createRecentOutlook(parts)
  const page: AdminPage = {
    ...parts,
    sessions,
    tickets,
    tries: createTries(parts.clock),
    readOutlook,
  }
  const streams = new LiveStreams(page)
  return {
    page,
    streams,
    tickets,
    signInLinks: createSignInLinks({ page: parts.address, tickets }),
    stop: () => streams.stop(),
    async start(): Promise<void> {
      await parts.sweep.add(sessions.purge)
      await parts.sweep.add(tickets.purge)
    },
  }
}

type Pool = Parameters<typeof createSessions>[0]
type Scope = Parameters<FastifyPluginAsync>[0]

export type RunningPage = ReturnType<typeof createAdminPage>

export interface PagePluginOptions {
  publicUrl: string | undefined
  /** Origins that may show the page in a frame, besides those of Telegram. */
  framedBy?: readonly string[] | undefined
  findPage: () => RunningPage | undefined
}

/**
 * Serves everything under `/admin`. A request for data is refused in this order: an unknown path (404), a bot that is not
 * there (503), a foreign origin (403), its session and its role (401, 403), its body (413, 415).
 */
export function createPagePlugin({
  publicUrl,
  framedBy = [],
  findPage,
}: PagePluginOptions): FastifyPluginAsync {
  const texts = createTexts()
  const files = readFiles()
  const isHttps = publicUrl?.startsWith('https:') ?? false
  const headers = {
    // There is no X-Frame-Options beside it: that could not name Telegram.
    ...pageHeaders({
      directives: [`frame-ancestors 'self' ${[...FRAMED_BY, ...framedBy].join(' ')}`],
    }),
    // Without subdomains: other people may own them.
    ...(isHttps && { 'strict-transport-security': `max-age=${YEAR_S}` }),
  }
  return async (http) => {
    await http.register(admin, { prefix: PAGE_PATH })
  }

  async function admin(app: Scope): Promise<void> {
    app.addHook('onRequest', async (_request, reply) => {
      reply.headers({ ...headers, 'cache-control': 'no-store' })
    })
    app.setErrorHandler((error: FastifyError | PageRefused, request, reply) =>
      sendRefusal(texts, error, request, reply),
    )
    app.setNotFoundHandler(() => {
      throw new PageRefused(404, 'page-no-view')
    })
    // The page's addresses are relative, so that it may stand below any path: for that it needs the slash.
    app.get('', (_request, reply) => reply.redirect('admin/', 308))
    app.get('/', { prefixTrailingSlash: 'slash' }, async (request, reply) =>
      sendHtml(
        reply.header('cache-control', 'no-cache'),
        shell(texts, readLanguage(request), files),
      ),
    )
    for (const [name, { type, text, version }] of Object.entries(files)) {
      app.get<{ Querystring: { v?: string } }>(`/${name}`, async ({ query }, reply) => {
        const isForEver = query.v === version
        const caching = isForEver ? `public, max-age=${YEAR_S}, immutable` : 'no-cache'
        return reply.header('cache-control', caching).type(type).send(text)
      })
    }
    app.get('/theme.css', async ({ url }, reply) =>
      reply.type('text/css').send(themeSheet(new URL(url, 'http://page').searchParams)),
    )
    await app.register(data)
  }

  async function data(app: Scope): Promise<void> {
    app.removeAllContentTypeParsers()
    app.addContentTypeParser(
      'application/x-www-form-urlencoded',
      { parseAs: 'string', bodyLimit: BODY_BYTES_MAX },
      (_request, body, done) => done(null, new URLSearchParams(String(body))),
    )
    app.addHook('onRequest', async (request) => {
      openPage()
      requireOwnOrigin(request, publicUrl)
    })
    app.post('/session', async (request, reply) => {
      const token = await signIn(openPage().page, fieldsOf(request), request.ip)
      return reply.code(201).send({ token })
    })
    app.get<{ Params: { token: string } }>(
      '/downloads/:token',
      // A HEAD request must not consume the one-use path.
      { exposeHeadRoute: false },
      ({ params }, reply) => sendFile(openPage().page, params.token, reply),
    )
    await app.register(signedIn)
  }

  async function signedIn(app: Scope): Promise<void> {
    app.decorateRequest('visitor')
    app.addHook('onRequest', async (request) => {
      const { forViewers = false } = request.routeOptions.config
      request.visitor = await requireVisitor(openPage().page, request, { forViewers })
    })
    app.post('/sign-out', { config: { forViewers: true } }, async ({ visitor }, reply) => {
      await openPage().page.sessions.end(visitor.token)
      return sendHtml(
        reply,
        signInCard((key) => texts.t(visitor.language, key), 'page-signed-out'),
      )
    })
    app.post('/downloads', { config: { forViewers: true } }, async (request, reply) =>
      reply.code(201).send(await orderFile(openPage().page, request.visitor, fieldsOf(request))),
    )
    app.get('/live', { exposeHeadRoute: false }, async (request, reply) => {
      for (const [name, value] of Object.entries(reply.getHeaders())) {
        if (value !== undefined) reply.raw.setHeader(name, value)
      }
      reply.raw.setHeader('x-request-id', request.id)
      openPage().streams.open(toVisit(request, ''), reply.raw)
      return reply.hijack()
    })
    for (const url of ['/view/:name', '/view/:name/:id']) {
      app.route<{ Params: ViewParams }>({ method: ['GET', 'POST'], url, handler: sendView })
    }
  }

  async function sendView(
    request: FastifyRequest<{ Params: ViewParams }>,
    reply: FastifyReply,
  ): Promise<FastifyReply> {
    const { name, id } = request.params
    const view = id === undefined ? VIEWS.get(name) : name === 'users' ? user : undefined
    const path = id === undefined ? name : `${name}/${id}`
    const visit = toVisit(request, path)
    if (view === undefined) return sendHtml(reply.code(404), missing(visit, 'page-no-view'))
    if (request.method !== 'POST') return sendVisit(reply, visit, view)
    const fields = fieldsOf(request)
    if (view.save === undefined) throw new PageRefused(400, 'page-invalid')
    const problems = await view.save(visit, fields)
    const sent = { form: fields.get('form') ?? '', fields, problems }
    return sendVisit(reply, toVisit(request, path, sent), view)
  }

  function toVisit(request: FastifyRequest, path: string, sent?: Visit['sent']): Visit {
    const { language, ...visitor } = request.visitor
    const query = new URL(request.url, 'http://page').searchParams
    return new Visit(openPage().page, { visitor, language, path, query, sent })
  }

  function openPage(): RunningPage {
    const page = findPage()
    if (page === undefined) {
      throw new PageRefused(503, 'page-starting', { retryAfterMs: STARTING_MS })
    }
    return page
  }
}

interface ViewParams {
  name: string
  id?: string
}

declare module 'fastify' {
  interface FastifyRequest {
    /** The user who is signed in. `requireVisitor()` sets it before the body is read. */
    visitor: Awaited<ReturnType<typeof requireVisitor>>
  }

  interface FastifyContextConfig {
    /** The route changes only the visitor's own session, though its method is POST: viewers may, too. */
    forViewers?: true
  }
}

async function sendVisit(reply: FastifyReply, visit: Visit, view: View): Promise<FastifyReply> {
  const shown = await view.show(visit)
  return sendHtml(reply.code(visit.status), shown)
}

function sendHtml(reply: FastifyReply, { text }: Html): FastifyReply {
  return reply.type('text/html; charset=utf-8').send(text)
}

const STATUS_KEYS: ReadonlyMap<string, string> = new Map([
  ['FST_ERR_CTP_BODY_TOO_LARGE', 'page-too-large'],
  ['FST_ERR_CTP_INVALID_MEDIA_TYPE', 'page-invalid'],
])

/** Answers a refusal with its sentence. Any other error goes on to the server's own handler, which logs it. */
function sendRefusal(
  texts: Texts,
  error: FastifyError | PageRefused,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  const language = request.visitor?.language ?? readLanguage(request)
  const isRefusal = error instanceof PageRefused
  const key = isRefusal ? error.key : STATUS_KEYS.get(error.code)
  if (key === undefined) throw error
  const seconds = isRefusal ? Math.ceil((error.retryAfterMs ?? 0) / 1000) : 0
  if (seconds > 0) reply.header('retry-after', seconds)
  const status = (isRefusal ? error.status : error.statusCode) ?? 400
  const t = (key: string) => texts.t(language, key, { seconds })
  const isOutside = status === 401 || key === 'page-busy'
  const note = html`<p class="note problem" role="alert">${t(key)}</p>`
  return sendHtml(reply.code(status), isOutside ? signInCard(t, key) : note)
}

function fieldsOf({ body }: FastifyRequest): URLSearchParams {
  if (body instanceof URLSearchParams) return body
  throw new PageRefused(415, 'page-invalid')
}
