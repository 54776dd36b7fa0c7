import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { toListenRefusal } from '../platform/http/listen-refused.ts'
import { settleWithin } from '../platform/time/graceful-stop.ts'
import type { Health } from './health.ts'

/** The app that answers while the roles run. */
type App = Pick<FastifyInstance, 'ready' | 'routing' | 'close'>

/** The server of a process, which listens from its first moment to its last, whether its roles run or not. */
export interface HttpListener {
  /** The address and the port that it has. */
  bound: AddressInfo
  /**
   * Lets an app answer requests from here on.
   *
   * @returns A function that ends it: answers that are on their way get a moment, then their connections are cut.
   */
  serve(app: App): Promise<(timeoutMs: number) => Promise<void>>
  close(): Promise<void>
}

/** The status by the code of Node's error. */
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
/** Proxies keep a connection for a minute: they shall close it, and not we while a request is on its way. */
const KEEP_ALIVE_MS = 72_000

/**
 * Listens. `GET /healthz` is answered here; everything else, while there is no app, with 503.
 *
 * @param requestMs How long a request may take to be there.
 * @throws {ListenRefusedError} If nothing can listen there.
 */
export async function openHttpListener({
  host,
  port,
  health,
  requestMs = REQUEST_MS_MAX,
  requestCheckMs = REQUEST_CHECK_MS,
}: {
  host: string
  port: number
  health: Pick<Health, 'report'>
  requestMs?: number
  requestCheckMs?: number
}): Promise<HttpListener> {
  let current: { app: App; answers: Set<ServerResponse> } | undefined
  const server = createServer(
    {
      keepAliveTimeout: KEEP_ALIVE_MS,
      requestTimeout: requestMs,
      connectionsCheckingInterval: requestCheckMs,
    },
    answer,
  )
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) =>
    refuseBytes(error.code, socket),
  )
  try {
    await once(server.listen(port, host), 'listening')
  } catch (error) {
    throw toListenRefusal(error, { setting: 'PORT', host, port })
  }
  return { bound: boundOf(server.address()), serve, close }

  function answer(request: IncomingMessage, response: ServerResponse): void {
    if (isHealthRequest(request)) {
      const report = health.report()
      answerJson(response, report.ready ? 200 : 503, report)
    } else if (current === undefined) refuse(request, response)
    else {
      const { app, answers } = current
      answers.add(response)
      response.once('close', () => answers.delete(response))
      app.routing(request, response)
    }
  }

  async function serve(app: App) {
    await app.ready()
    const answers = new Set<ServerResponse>()
    const own = { app, answers }
    current = own
    return async (timeoutMs: number) => {
      if (current === own) current = undefined
      const ends = Array.from(answers, (response) => once(response, 'close'))
      await settleWithin(ends, Math.min(timeoutMs, CLOSE_MS_MAX))
      for (const response of answers) response.destroy()
      await app.close()
    }
  }

  async function close(): Promise<void> {
    const closed = once(server, 'close')
    server.close()
    server.closeAllConnections()
    await closed
  }
}

/** Answers bytes that are no HTTP request, as well as possible. */
export function refuseBytes(code: string | undefined, socket: Socket): void {
  if (code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  const status = BYTES_REFUSED[code ?? ''] ?? 400
  const body = JSON.stringify({ detail: 'The request cannot be read.' })
  const headers = `content-type: application/json\r\ncontent-length: ${body.length}\r\nconnection: close`
  socket.write(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${headers}\r\n\r\n${body}`)
  // A client that goes on, however slowly, would otherwise hold its request open for ever.
  socket.destroySoon()
}

/**
 * Node ends a connection by `destroySoon()`, after the last byte of the answer. What arrives after that
 * resets it, and a client that is still sending may lose the answer: so it gets a moment to stop.
 */
export function endAfterBody(request: IncomingMessage): void {
  if (request.complete) return
  const { socket } = request
  socket.destroySoon = () => {
    socket.end()
    const timer = setTimeout(() => socket.destroy(), LATE_BODY_MS_MAX)
    socket.once('close', () => clearTimeout(timer))
    request.once('end', () => socket.destroy())
    request.resume()
  }
}

function isHealthRequest({ method, url = '' }: IncomingMessage): boolean {
  return (method === 'GET' || method === 'HEAD') && url.split('?', 1)[0] === '/healthz'
}

function refuse(request: IncomingMessage, response: ServerResponse): void {
  response.setHeader('retry-after', '1')
  // A client that comes again may be led to a process that is ready.
  response.setHeader('connection', 'close')
  endAfterBody(request)
  answerJson(response, 503, { detail: 'The process is not ready.' })
}

function answerJson(response: ServerResponse, status: number, body: object): void {
  const text = JSON.stringify(body)
  response.writeHead(status, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(text),
  })
  response.end(text)
}

function boundOf(address: AddressInfo | string | null): AddressInfo {
  if (address === null || typeof address === 'string') throw new TypeError('The server has no port')
  return address
}
