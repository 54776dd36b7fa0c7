import { createServer as createHttpServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import Fastify from 'fastify'
import { type BotApiDeps, createBotApi } from './bot-api.ts'
import { ApiError, toEnvelope } from './wire/envelope.ts'

/** Telegram's own bound: a request line may hold a whole text. */
const HEADER_BYTES_MAX = 256 * 1024
/** Clients keep a connection for a minute and must not find it closed just when they use it. */
const KEEP_ALIVE_MS = 72_000

export function createServer(deps: BotApiDeps) {
  const botApi = createBotApi(deps)
  const app = Fastify({
    forceCloseConnections: true,
    serverFactory: (serveOthers) => {
      const options = {
        maxHeaderSize: HEADER_BYTES_MAX,
        keepAliveTimeout: KEEP_ALIVE_MS,
        // A large file over a slow line is no mistake.
        requestTimeout: 0,
      }
      return createHttpServer(options, (request, response) => {
        if (botApi.concerns(request)) void botApi.handle(request, response)
        else serveOthers(request, response)
      })
    },
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

/**
 * The root as this machine reaches it: a server that listens everywhere listens on the loopback too. A name that leads
 * here becomes its address, since the page is open under no other name than `localhost`.
 */
export function rootOf(host: string, bound: AddressInfo | string | null): string {
  if (bound === null || typeof bound === 'string') throw new TypeError('The server has no port')
  const isEverywhere = host === '0.0.0.0' || host === '::'
  const name = isEverywhere ? '127.0.0.1' : host === 'localhost' ? host : bound.address
  return `http://${name.includes(':') ? `[${name}]` : name}:${bound.port}`
}
