import { randomUUID } from 'node:crypto'
import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import Fastify, {
  type FastifyBaseLogger,
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  LogController,
} from 'fastify'

/** An id that a caller or a proxy may choose; anything else is replaced. */
const REQUEST_ID = /^[A-Za-z0-9._-]{1,64}$/

/** By the code of Node's error. */
const BYTES_REFUSED: Readonly<Record<string, number>> = {
  ERR_HTTP_REQUEST_TIMEOUT: 408,
  HPE_HEADER_OVERFLOW: 431,
}

/** A client that reads slowly gets so long when everything else has ended. */
const CLOSE_MS_MAX = 1000

/**
 * The HTTP server of a process, the same for all roles.
 *
 * Each request has an id: its `X-Request-Id` if that is well formed, otherwise a new one. The answer
 * carries it, and so does every line of `request.log`. What Fastify itself would log or answer quotes
 * URLs, so it does neither.
 */
export function createHttpServer({ log }: { log: FastifyBaseLogger }): FastifyInstance {
  const http = Fastify({
    loggerInstance: log,
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: ({ headers }) => readRequestId(headers['x-request-id']) ?? randomUUID(),
    frameworkErrors: ({ statusCode }, request, reply: FastifyReply) => {
      reply.header('x-request-id', request.id)
      reply.code(statusCode ?? 400).send({ detail: 'The path cannot be read.' })
    },
    clientErrorHandler: ({ code }, socket) => refuseBytes(code, socket),
  })
  http.addHook('onRequest', async (request, reply) => {
    reply.header('x-request-id', request.id)
  })
  http.setErrorHandler((error: FastifyError, request, reply) => {
    const { statusCode = 500 } = error
    if (statusCode >= 500) request.log.error({ err: error }, 'request failed')
    const detail = statusCode >= 500 ? 'The server made a mistake.' : 'The request cannot be read.'
    return reply.code(statusCode).send({ detail })
  })
  http.setNotFoundHandler((_request, reply) =>
    reply.code(404).send({ detail: 'There is no such path.' }),
  )
  return http
}

/** Ends the server: answers that are on their way get a moment, then their connections are cut. */
export async function closeHttpServer(http: FastifyInstance, timeoutMs: number): Promise<void> {
  const cut = () => http.server.closeAllConnections()
  const timer = setTimeout(cut, Math.min(timeoutMs, CLOSE_MS_MAX))
  await http.close()
  clearTimeout(timer)
}

function readRequestId(header: string | string[] | undefined): string | undefined {
  return typeof header === 'string' && REQUEST_ID.test(header) ? header : undefined
}

/** Answers what is no request that HTTP knows, as well as it can be answered. */
function refuseBytes(code: string, socket: Socket): void {
  if (code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  const status = BYTES_REFUSED[code] ?? 400
  const body = JSON.stringify({ detail: 'The request cannot be read.' })
  const headers = `content-type: application/json\r\ncontent-length: ${body.length}\r\nconnection: close`
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${headers}\r\n\r\n${body}`)
}
