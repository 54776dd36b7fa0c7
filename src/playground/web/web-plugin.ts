import { join } from 'node:path'
import fastifyStatic from '@fastify/static'
import type { FastifyError, FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import { PageRefusal, pageHeaders } from '../../platform/http/page.ts'
import { builtDir } from '../../platform/installation.ts'
import { ApiError } from '../wire/envelope.ts'
import { chatRoutes } from './chat-routes.ts'
import { fileRoute, uploadRoute } from './files.ts'
import { createLive } from './live.ts'
import type { WebDeps } from './web-deps.ts'
import { admitByKey, requireOwnPage, requireOwnSite } from './who-gets-in.ts'

/** Headers of every answer that is not the Bot API's. */
const HEADERS = {
  ...pageHeaders(["media-src 'self'", "frame-ancestors 'none'"]),
  'cross-origin-resource-policy': 'same-origin',
}

const LEFT = ['ECONNRESET', 'ERR_STREAM_PREMATURE_CLOSE']

export interface WebOptions {
  deps: WebDeps
  /** Undefined if only this machine reaches the page: then no key is needed. */
  key: string | undefined
  pageDir?: string
}

/** The page of the playground: its files at `/`, its reads and actions below `/playground`. */
export const webPlugin: FastifyPluginAsync<WebOptions> = async (app, options) => {
  const { deps, key, pageDir = builtDir('playground') } = options
  const live = createLive(deps)
  deps.closing.addEventListener('abort', live.stop, { once: true })
  app.addContentTypeParser(
    'application/json',
    { parseAs: 'string' },
    app.getDefaultJsonParser('error', 'error'),
  )
  app.addHook('onRequest', async (request, reply) => {
    reply.headers(HEADERS)
    requireOwnPage(request)
    const cookie = `playground_${deps.world.me.id}`
    if (key !== undefined && admitByKey(request, reply, { key, cookie })) return reply
  })
  app.setErrorHandler(answerError)
  // The names of these files hold a hash: they never change.
  await app.register(fastifyStatic, {
    root: join(pageDir, 'assets'),
    prefix: '/assets/',
    index: false,
    dotfiles: 'ignore',
    maxAge: '365d',
    immutable: true,
  })
  app.get('/', { prefixTrailingSlash: 'slash' }, (_request, reply) =>
    reply
      .header('cache-control', 'no-cache')
      .sendFile('index.html', pageDir, { cacheControl: false }),
  )
  await app.register(
    async (playground) => {
      playground.addHook('onRequest', async (request) => requireOwnSite(request))
      chatRoutes(playground, deps)
      fileRoute(playground, deps)
      await playground.register(uploadRoute, { deps })
      live.route(playground)
      playground.all('/*', async () => {
        throw new PageRefusal(404, 'There is nothing here')
      })
    },
    { prefix: '/playground' },
  )

  /**
   * Answers a refusal. A step that clients do not allow is thrown as a plain error, whose words are for the person;
   * faults of the program and the system are not.
   */
  function answerError(
    error: FastifyError | PageRefusal | ApiError | Error,
    _request: FastifyRequest,
    reply: FastifyReply,
  ): FastifyReply {
    if (error instanceof ApiError) return reply.code(error.code).send({ detail: error.message })
    if (error instanceof PageRefusal) {
      return reply.code(error.statusCode).send({ detail: error.detail })
    }
    if ('statusCode' in error && error.statusCode !== undefined) {
      return reply.code(error.statusCode).send({ detail: error.message })
    }
    const code = 'code' in error ? error.code : undefined
    const isOurs = error instanceof TypeError || error instanceof ReferenceError
    if (!isOurs && code === undefined) return reply.code(400).send({ detail: error.message })
    if (!LEFT.includes(code ?? '')) deps.onTrouble(error)
    return reply.code(500).send({ detail: `The playground cannot do it: ${error.message}` })
  }
}
