/**
 * The page at `/admin`: views that the server writes as HTML, for admins and viewers.
 *
 * In: requests of the page's one script, `client.js`. Out: a shell without data for everybody; views, files and live
 * figures for visitors with a session. Changes go through the operations that the commands use. Invariant: every
 * request is checked for its session, its user's role and, if it changes data, its origin; `html` escapes every value.
 */
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { FastifyError, FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import type { Sweep } from '../../../platform/database/instance/sweep.ts'
import { pageHeaders } from '../../../platform/http/page.ts'
import { createTries } from '../../people/tries.ts'
import { createTexts, type Language } from '../../texts/texts.ts'
import { access } from './access.ts'
import { changes } from './changes.ts'
import { check } from './check.ts'
import { orderFile, sendFile } from './downloads.ts'
import { type Html, html, type Part } from './html.ts'
import { more, nowhere } from './layout.ts'
import { limits } from './limits.ts'
import { createSignInLinks, PAGE_PATH } from './links.ts'
import { createRecentOutlook, liveFigures } from './live.ts'
import { overview } from './overview.ts'
import { settings } from './settings.ts'
import {
  endSession,
  purgeTokens,
  readLanguage,
  requireOwnOrigin,
  requireVisitor,
  signIn,
} from './sign-in.ts'
import { user } from './user.ts'
import { users } from './users.ts'
import {
  type AdminPage,
  type PageParts,
  PageRefused,
  type View,
  Visit,
  type Visitor,
} from './visit.ts'

const VIEWS: Readonly<Record<string, View>> = {
  overview,
  users,
  'users/:id': user,
  check,
  limits,
  access,
  settings,
  changes,
  more,
  '*': nowhere,
}

const BODY_BYTES_MAX = 16 * 1024
const YEAR_S = 365 * 24 * 3600

/** Telegram's clients in the browser; each shows a Mini App in a frame. Its other apps have no frame. */
const FRAMED_BY = [
  'https://web.telegram.org',
  'https://weba.telegram.org',
  'https://webk.telegram.org',
  'https://webz.telegram.org',
]

export function createAdminPage(parts: PageParts & { sweep: Pick<Sweep, 'add'> }) {
  const page: AdminPage = {
    ...parts,
    tries: createTries(parts.clock),
    readOutlook: createRecentOutlook(parts),
  }
  return {
    page,
    signInLinks: createSignInLinks(parts),
    start: () => parts.sweep.add(() => purgeTokens(parts.prisma)),
  }
}

export type RunningPage = ReturnType<typeof createAdminPage>

type Scope = Parameters<FastifyPluginAsync>[0]

export interface PagePluginOptions {
  publicUrl: string | undefined
  /** Origins that may show the page in a frame, besides those of Telegram. */
  framedBy?: readonly string[] | undefined
  page: AdminPage
}

/**
 * Serves everything under `/admin`.
 *
 * Requests for data are refused in this order: unknown path (404), foreign origin (403), session (401), body (413,
 * 415), role (403).
 */
export function createPagePlugin({
  publicUrl,
  framedBy = [],
  page,
}: PagePluginOptions): FastifyPluginAsync {
  const texts = createTexts()
  const files = readFiles()
  const isHttps = publicUrl?.startsWith('https:') ?? false
  const headers = {
    // Without X-Frame-Options, which cannot name Telegram.
    ...pageHeaders([`frame-ancestors 'self' ${[...FRAMED_BY, ...framedBy].join(' ')}`]),
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
    app.setErrorHandler(sendRefusal)
    app.setNotFoundHandler(() => {
      throw new PageRefused(404, 'page-no-view')
    })
    // The page's relative addresses work below any path, but only with the slash.
    app.get('', (_request, reply) => reply.redirect('admin/', 308))
    app.get('/', { prefixTrailingSlash: 'slash' }, async (request, reply) => {
      const language = readLanguage(request)
      const written = shell(language, (key) => texts.t(language, key), files)
      return sendHtml(reply.header('cache-control', 'no-cache'), written)
    })
    for (const [name, { type, text, version }] of Object.entries(files)) {
      app.get<{ Querystring: { v?: string } }>(`/${name}`, async ({ query }, reply) => {
        const isForEver = query.v === version
        const caching = isForEver ? `public, max-age=${YEAR_S}, immutable` : 'no-cache'
        return reply.header('cache-control', caching).type(type).send(text)
      })
    }
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
      requireOwnOrigin(request, publicUrl)
    })
    app.post('/session', async (request, reply) => {
      const token = await signIn(page, fieldsOf(request), request.ip)
      return reply.code(201).send({ token })
    })
    app.get<{ Params: { token: string } }>(
      '/downloads/:token',
      // A HEAD request must not consume the one-use path.
      { exposeHeadRoute: false },
      ({ params }, reply) => sendFile(page, params.token, reply),
    )
    await app.register(signedIn)
  }

  async function signedIn(app: Scope): Promise<void> {
    app.decorateRequest('visitor')
    app.addHook('onRequest', async (request) => {
      const isUse = request.routeOptions.url !== `${PAGE_PATH}/live`
      request.visitor = await requireVisitor(page, request, { isUse })
    })
    app.post('/sign-out', async ({ visitor }, reply) => {
      await endSession(page.prisma, visitor.token)
      return sendHtml(
        reply,
        signInCard((key) => texts.t(visitor.language, key), 'page-signed-out'),
      )
    })
    app.post('/downloads', async (request, reply) =>
      reply.code(201).send(await orderFile(page, request.visitor, fieldsOf(request))),
    )
    app.get('/live', async ({ visitor, url }, reply) =>
      sendHtml(reply, await liveFigures(new Visit(page, visitor, url))),
    )
    for (const [path, view] of Object.entries(VIEWS)) {
      app.route({
        method: ['GET', 'POST'],
        url: `/view/${path}`,
        handler: (request, reply) => sendView(view, request, reply),
      })
    }
  }

  async function sendView(view: View, request: FastifyRequest, reply: FastifyReply) {
    const visit = new Visit(page, request.visitor, request.url)
    if (request.method === 'POST') {
      if (!visit.canChange) throw new PageRefused(403, 'page-viewer')
      if (view.save === undefined) throw new PageRefused(400, 'page-invalid')
      const fields = fieldsOf(request)
      const problems = await view.save(visit, fields)
      visit.sent = { fields, problems }
      if (Object.keys(problems).length > 0) visit.status = 422
    }
    const shown = await view.show(visit)
    return sendHtml(reply.code(visit.status), shown)
  }

  /** Answers a refusal with its sentence. The server's own handler logs and answers all other errors. */
  function sendRefusal(
    error: FastifyError | PageRefused,
    request: FastifyRequest,
    reply: FastifyReply,
  ): FastifyReply {
    const { statusCode = 500 } = error
    const isRefusal = error instanceof PageRefused
    if (!isRefusal && statusCode >= 500) throw error
    const { key, retryAfterMs } = isRefusal ? error : new PageRefused(statusCode, 'page-invalid')
    const seconds = Math.ceil(retryAfterMs / 1000)
    if (seconds > 0) reply.header('retry-after', seconds)
    const language = request.visitor?.language ?? readLanguage(request)
    const t = (key: string) => texts.t(language, key, { seconds })
    const isOutside = statusCode === 401 || statusCode === 429
    return sendHtml(reply.code(statusCode), isOutside ? signInCard(t, key) : problemNote(t(key)))
  }
}

declare module 'fastify' {
  interface FastifyRequest {
    /** `requireVisitor()` sets the user before the body is read. */
    visitor: Visitor
  }
}

function fieldsOf({ body }: FastifyRequest): URLSearchParams {
  if (body instanceof URLSearchParams) return body
  throw new PageRefused(415, 'page-invalid')
}

function sendHtml(reply: FastifyReply, { text }: Html): FastifyReply {
  return reply.type('text/html; charset=utf-8').send(text)
}

function problemNote(content: Part): Html {
  return html`<p class="note problem" role="alert">${content}</p>`
}

function signInCard(t: (key: string) => string, key: string): Html {
  const isProblem = !['page-sign-in', 'page-signed-out'].includes(key)
  return html`<main class="alone"><section class="card">
    <h1 tabindex="-1">${t(isProblem ? 'page-sign-in' : key)}</h1>
    ${isProblem && problemNote(t(key))}
    <p>${t('page-sign-in-how')}</p>
  </section></main>`
}

/**
 * Reads the files of the page. Pico's rules are in a lower layer: ours win whatever their selectors. The policy refuses
 * Pico's icons (`data:` addresses); the style sheet names files for the used icons.
 */
function readFiles() {
  const read = (name: string) => readFileSync(new URL(name, import.meta.url), 'utf8')
  const picoUrl = import.meta.resolve('@picocss/pico/css/pico.classless.min.css')
  const pico = readFileSync(new URL(picoUrl), 'utf8')
    .replace('@charset "UTF-8";', '')
    .replaceAll(/url\("data:[^"]*"\)/g, 'none')
  return {
    'styles.css': toFile('text/css', `@layer pico {${pico}}\n${read('styles.css')}`),
    'client.js': toFile('text/javascript', read('client.js')),
    'icon.svg': toFile('image/svg+xml', read('icon.svg')),
    'chevron.svg': toFile('image/svg+xml', read('chevron.svg')),
    'search.svg': toFile('image/svg+xml', read('search.svg')),
  }
}

function toFile(type: string, text: string) {
  return { type, text, version: createHash('sha256').update(text).digest('hex').slice(0, 12) }
}

function shell(
  language: Language,
  t: (key: string) => string,
  files: ReturnType<typeof readFiles>,
): Html {
  const retry = html` <button type="button" class="quiet" data-reload>${t('page-retry')}</button>`
  return html`<!doctype html>
    <html lang="${language}">
    <head>
      <meta charset="utf-8">
      <meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover">
      <meta name="color-scheme" content="light dark">
      <meta name="referrer" content="no-referrer">
      <title>Kopeck</title>
      <link rel="icon" type="image/svg+xml" href="icon.svg">
      <link rel="stylesheet" href="styles.css?v=${files['styles.css'].version}">
      <script type="module" src="client.js?v=${files['client.js'].version}"></script>
      <template id="away">${problemNote([t('page-away'), retry])}</template>
    </head>
    <body>
      <main class="alone"><p role="status">${t('page-signing-in')}</p></main>
      <noscript>${t('page-needs-script')}</noscript>
    </body>
    </html>`
}
