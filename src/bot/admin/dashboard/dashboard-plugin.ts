import type { FastifyPluginAsync, FastifyRequest } from 'fastify'
import { compileSchema } from '../../../platform/guard.ts'
import { servePageFiles } from '../../../platform/http/page.ts'
import { builtDir } from '../../../platform/installation.ts'
import type { Dashboard } from './dashboard.ts'
import { answerRefusal, DashboardRefusal } from './http/refusal.ts'
import { requireVisitor } from './http/require-visitor.ts'
import { securityHeaders } from './http/security-headers.ts'
import { liveRoute } from './live-streams.ts'
import { DASHBOARD_PATH } from './page-address.ts'
import { accessRoute } from './routes/access.ts'
import { alertsRoute } from './routes/alerts.ts'
import { changesRoute } from './routes/changes.ts'
import { checkRoute } from './routes/check.ts'
import { downloadRoute, downloadsRoute } from './routes/downloads.ts'
import { limitsRoute } from './routes/limits.ts'
import { sessionRoute, signInRoute } from './routes/session.ts'
import { overviewRoute, usersRoute } from './routes/spend.ts'

const ROUTES = [
  sessionRoute,
  overviewRoute,
  usersRoute,
  limitsRoute,
  accessRoute,
  alertsRoute,
  changesRoute,
  checkRoute,
  downloadsRoute,
  liveRoute,
]

const BODY_BYTES_MAX = 16 * 1024
/** A bot that is not there yet is so soon. */
const NOT_THERE_MS = 2_000

export interface DashboardPluginOptions {
  publicUrl: string | undefined
  framedBy?: readonly string[] | undefined
  findDashboard: () => Dashboard | undefined
  pageDir?: string
}

/**
 * Everything under `/admin`: the page's files, for everybody, and its data, which none but admins and viewers
 * get. A request for data is refused in this order: an unknown path (404), a bot that is not there (503), an
 * origin that is not ours (403), its session and its role (401, 403), its body (413, 415, 400), its fields
 * (400), and then by its route.
 */
export function createDashboardPlugin({
  publicUrl,
  framedBy,
  findDashboard,
  pageDir = builtDir('admin'),
}: DashboardPluginOptions): FastifyPluginAsync {
  const isHttps = publicUrl?.startsWith('https:') ?? false
  const headers = securityHeaders({ isHttps, framedBy })
  return async (http) => {
    await http.register(admin, { prefix: DASHBOARD_PATH })
  }

  async function admin(app: Parameters<FastifyPluginAsync>[0]): Promise<void> {
    app.addHook('onRequest', async (_request, reply) => {
      reply.headers({ ...headers, 'cache-control': 'no-store' })
    })
    app.setErrorHandler(answerRefusal)
    app.setNotFoundHandler((_request, reply) =>
      reply.code(404).send({ detail: 'There is no such path.' }),
    )
    // The page's addresses are relative, so that it may stand below any path: for that it needs the slash.
    // The browser keeps what follows a `#`.
    app.get('', (_request, reply) => reply.redirect('admin/', 308))
    await app.register((files) => servePageFiles(files, { pageDir, isAlone: true }))
    await app.register(api, { prefix: '/api' })
  }

  async function api(app: Parameters<FastifyPluginAsync>[0]): Promise<void> {
    app.setValidatorCompiler(({ schema }) => compileSchema(schema as object, { allErrors: false }))
    app.removeAllContentTypeParsers()
    app.addContentTypeParser(
      'application/json',
      { parseAs: 'string', bodyLimit: BODY_BYTES_MAX },
      app.getDefaultJsonParser('error', 'error'),
    )
    app.addHook('onRequest', async (request) => {
      openDashboard()
      requireOwnOrigin(request, publicUrl)
    })
    await app.register(signInRoute(openDashboard))
    await app.register(downloadRoute(openDashboard))
    await app.register(data)
  }

  async function data(app: Parameters<FastifyPluginAsync>[0]): Promise<void> {
    app.decorateRequest('visitor')
    app.addHook('onRequest', async (request) => {
      request.visitor = await requireVisitor(request, openDashboard())
    })
    for (const route of ROUTES) await app.register(route(openDashboard))
  }

  function openDashboard(): Dashboard {
    const dashboard = findDashboard()
    if (dashboard === undefined) {
      throw new DashboardRefusal(503, 'The bot is not there yet.', { retryAfterMs: NOT_THERE_MS })
    }
    return dashboard
  }
}

const READS = new Set(['GET', 'HEAD'])

/**
 * Refuses a request that changes something and does not come from our own page. A browser sends no token of
 * a session by itself, so no other site could use one; this holds even if a token were ever kept in a cookie.
 *
 * Ours is the origin that others reach this process under, and, where the request was sent to another host, the one
 * that it was sent to. The scheme is a part of it: a page of our name by http may be anybody's on the way.
 *
 * @throws {DashboardRefusal} 403.
 */
function requireOwnOrigin(request: FastifyRequest, publicUrl: string | undefined): void {
  const { method, headers, protocol } = request
  if (READS.has(method)) return
  const publicRoot = URL.parse(publicUrl ?? '')
  const asked = URL.parse(`${protocol}://${headers.host}`)
  const own = asked?.host === publicRoot?.host ? [publicRoot] : [publicRoot, asked]
  const origin = URL.parse(headers.origin ?? '')?.origin
  const isOwn = origin !== undefined && own.some((root) => root?.origin === origin)
  if (!isOwn) throw new DashboardRefusal(403, 'The request does not come from this page.')
}
