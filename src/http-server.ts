import { randomUUID } from 'node:crypto'
import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import Fastify, {
  type FastifyBaseLogger,
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify'

const NO_SUCH_PATH = { detail: 'There is no such path.' }

/** An id that a caller or a proxy may choose; anything else is replaced. */
const REQUEST_ID = /^[A-Za-z0-9._-]{1,64}$/

/** By the code of Node's error. */
const BYTES_REFUSED: Readonly<Record<string, number>> = {
  ERR_HTTP_REQUEST_TIMEOUT: 408,
  HPE_HEADER_OVERFLOW: 431,
}

/** A request is whole so long after its first byte, or it is answered with 408 and cut. */
const REQUEST_MS_MAX = 60_000
/** How late the cut may be. */
const REQUEST_CHECK_MS = 5_000

/** A body that goes on after its request was refused is read, and thrown away, for so long. */
const LATE_BODY_MS_MAX = 2_000

/** A client that reads slowly gets so long when everything else has ended. */
const CLOSE_MS_MAX = 1000

/**
 * The HTTP server of a process, the same for all roles.
 *
 * Each request has an id: its `X-Request-Id` if that is well formed, otherwise a new one. The answer
 * carries it, and so does every line of `request.log`. What Fastify itself would log or answer quotes
 * URLs, so it does neither.
 *
 * An answer that comes before its request's body is whole ends the connection: nobody waits for a body that
 * was refused.
 *
 * @param requestMs How long a request may take to be there.
 */
export function createHttpServer({
  log,
  requestMs = REQUEST_MS_MAX,
  requestCheckMs = REQUEST_CHECK_MS,
}: {
  log: FastifyBaseLogger
  requestMs?: number
  requestCheckMs?: number
}): FastifyInstance {
  const http = Fastify({
    requestTimeout: requestMs,
    // Given here as well, it bounds the time for the head: the larger of both would be taken for the whole.
    http: { requestTimeout: requestMs, connectionsCheckingInterval: requestCheckMs },
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
  http.addHook('preParsing', (request, reply, _payload, done) => {
    // There is no path that would read the body.
    if (request.is404) reply.code(404).send(NO_SUCH_PATH)
    else done()
  })
  http.addHook('onSend', (request, reply, payload, done) => {
    if (isBodyOnItsWay(request)) {
      reply.header('connection', 'close')
      endAfterBody(request)
    }
    done(null, payload)
  })
  http.setErrorHandler((error: FastifyError, request, reply) => {
    const { statusCode = 500 } = error
    if (statusCode >= 500) request.log.error({ err: error }, 'request failed')
    const detail = statusCode >= 500 ? 'The server made a mistake.' : 'The request cannot be read.'
    return reply.code(statusCode).send({ detail })
  })
  http.setNotFoundHandler((_request, reply) => reply.code(404).send(NO_SUCH_PATH))
  return http
}

/** Ends the server: answers that are on their way get a moment, then their connections are cut. */
export async function closeHttpServer(http: FastifyInstance, timeoutMs: number): Promise<void> {
  const cut = () => http.server.closeAllConnections()
  const timer = setTimeout(cut, Math.min(timeoutMs, CLOSE_MS_MAX))
  await http.close()
  clearTimeout(timer)
}

function isBodyOnItsWay({ headers, raw }: FastifyRequest): boolean {
  const isAnnounced =
    headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
  return isAnnounced && !raw.complete
}

/**
 * Node ends a connection by `destroySoon()`, after the last byte of the answer. What arrives after that
 * resets it, and a client that is still sending may lose the answer: so it gets a moment to stop.
 */
function endAfterBody({ raw }: FastifyRequest): void {
  const { socket } = raw
  socket.destroySoon = () => {
    socket.end()
    const timer = setTimeout(() => socket.destroy(), LATE_BODY_MS_MAX)
    socket.once('close', () => clearTimeout(timer))
    raw.once('end', () => socket.destroy())
    raw.resume()
  }
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
  socket.write(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${headers}\r\n\r\n${body}`)
  // A client that goes on, however slowly, would otherwise hold its request open for ever.
  socket.destroySoon()
}
