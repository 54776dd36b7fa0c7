import { randomUUID } from 'node:crypto'
import Fastify, {
  type FastifyBaseLogger,
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify'
import { isDatabaseTrouble } from '../platform/database/trouble.ts'
import { foldRepeats } from '../platform/fold-repeats.ts'
import { endAfterBody, refuseBytes } from './http-listener.ts'

const REQUEST_ID = /^[A-Za-z0-9._-]{1,64}$/

/**
 * Fastify's own log lines and answers would quote URLs, so it writes neither. An answer that comes before its
 * request's body is whole ends the connection.
 */
export function createHttpServer({
  log,
  trustedProxies = [],
  onUnrouted = () => {},
}: {
  log: FastifyBaseLogger
  /** Their `X-Forwarded-For` and `X-Forwarded-Proto` count. */
  trustedProxies?: readonly string[]
  onUnrouted?: (answered: { method: string; status: number }) => void
}): FastifyInstance {
  const http = Fastify({
    loggerInstance: log,
    trustProxy: trustedProxies.length > 0 && [...trustedProxies],
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: ({ headers: { 'x-request-id': given } }) =>
      typeof given === 'string' && REQUEST_ID.test(given) ? given : randomUUID(),
    frameworkErrors: ({ statusCode: status = 400 }, request, reply: FastifyReply) => {
      onUnrouted({ method: request.method, status })
      reply.header('x-request-id', request.id)
      reply.code(status).send({ detail: 'The path cannot be read.' })
    },
    clientErrorHandler: ({ code }, socket) => refuseBytes(code, socket),
  })
  // The only hook that every request passes.
  http.addHook('onSend', (request, reply, payload, done) => {
    const { method, is404, raw } = request
    const { statusCode: status } = reply
    reply.header('x-request-id', request.id)
    // The answer to a preflight is not for a path.
    if (is404 && status >= 400) onUnrouted({ method, status })
    if (isBodyOnItsWay(request)) {
      reply.header('connection', 'close')
      endAfterBody(raw)
    }
    done(null, payload)
  })
  const troubles = foldRepeats(log)
  http.setErrorHandler((error: FastifyError, request, reply) => {
    const { status, detail } = refusalOf(error)
    const errors = isDatabaseTrouble(error) ? troubles : request.log
    if (status >= 500) errors.error({ err: error }, 'request failed')
    if (status === 503) reply.header('retry-after', '1')
    return reply.code(status).send({ detail })
  })
  http.register((unknown, _options, done) => {
    // A body that no path would read stays unread.
    unknown.addHook('onRequest', refusePath)
    unknown.setNotFoundHandler(refusePath)
    done()
  })
  return http
}

function refusePath(_request: FastifyRequest, reply: FastifyReply): void {
  reply.code(404).send({ detail: 'There is no such path.' })
}

function refusalOf(error: FastifyError): { status: number; detail: string } {
  if (isDatabaseTrouble(error)) {
    return { status: 503, detail: 'The database is not available now.' }
  }
  const { statusCode: status = 500 } = error
  const detail = status >= 500 ? 'The server made a mistake.' : 'The request cannot be read.'
  return { status, detail }
}

function isBodyOnItsWay({ headers, raw }: FastifyRequest): boolean {
  const isAnnounced =
    headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
  return isAnnounced && !raw.complete
}
