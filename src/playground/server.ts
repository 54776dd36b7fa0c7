import { createServer as createHttpServer, type RequestListener, type Server } from 'node:http'
import Fastify from 'fastify'
import { type BotApi, type BotApiDeps, createBotApi } from './bot-api.ts'
import { ApiError, toEnvelope } from './wire/envelope.ts'

/** Telegram's own bound: a request line may hold a whole text. */
const HEADER_BYTES_MAX = 256 * 1024
/** Clients keep a connection for a minute and must not find it closed just when they use it. */
const KEEP_ALIVE_MS = 72_000

/** One port for the Bot API, which is answered from the raw request, and for all that Fastify serves. */
export function createServer(deps: BotApiDeps) {
  const botApi = createBotApi(deps)
  const app = Fastify({
    forceCloseConnections: true,
    serverFactory: (serveOthers) => createSharedServer(botApi, serveOthers),
  })
  app.removeAllContentTypeParsers()
  // Bodies are read where the rules for them stand, from the raw request.
  app.addContentTypeParser('*', (_request, _payload, done) => done(null))
  app.setNotFoundHandler((_request, reply) =>
    reply
      .code(404)
      .type('application/json')
      .send(JSON.stringify(toEnvelope(new ApiError(404, 'Not Found')))),
  )
  return app
}

function createSharedServer(botApi: BotApi, serveOthers: RequestListener): Server {
  const options = {
    maxHeaderSize: HEADER_BYTES_MAX,
    keepAliveTimeout: KEEP_ALIVE_MS,
    // A large file over a slow line is no mistake.
    requestTimeout: 0,
  }
  const server = createHttpServer(options, (request, response) => {
    if (botApi.concerns(request)) void botApi.handle(request, response)
    else serveOthers(request, response)
  })
  server.on('checkContinue', (request, response) => {
    if (botApi.refuseEarly(request, response)) return
    response.writeContinue()
    server.emit('request', request, response)
  })
  return server
}
