import { once } from 'node:events'
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
  STATUS_CODES,
} from 'node:http'
import { type AddressInfo, type Socket, Server as TcpServer } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import { InFlight } from '../platform/in-flight.ts'
import { toListenRefusal } from '../platform/mendable.ts'
import { settleWithin } from '../platform/time/graceful-stop.ts'
import type { Health } from './health.ts'

type App = Pick<FastifyInstance, 'ready' | 'routing' | 'close'>

export type HttpListener = Awaited<ReturnType<typeof openHttpListener>>

const BYTES_REFUSED: Readonly<Record<string, number>> = {
  ERR_HTTP_REQUEST_TIMEOUT: 408,
  HPE_HEADER_OVERFLOW: 431,
}

/** How long after its first byte a request must be whole: then it is answered with 408 and cut. */
const REQUEST_MS_MAX = 60_000
const REQUEST_CHECK_MS = 5_000
const LATE_BODY_MS_MAX = 2_000
const CLOSE_MS_MAX = 1000
/** Longer than the minute of most proxies: they close a kept connection, and not we while a request is on its way. */
const KEEP_ALIVE_MS = 72_000
/** How long after the last connection was taken, or after its last answer, a kept connection is closed. */
const DRAIN_KEEP_ALIVE_MS = 2_000
/** The first turn of the event loop takes the known connections, the second turn later connections. */
const ACCEPT_TURNS = 2
const LOOPBACK = '127.0.0.1'

/**
 * A load balancer may only check whether a connection is refused: a process whose app does not run must not listen.
 * Only a port that the system chose is listened on from the first moment, with 503 while there is no app.
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
}) {
  const answers = new InFlight<ServerResponse>()
  const sockets = new Set<Socket>()
  let app: App | undefined
  let draining: Promise<void> | undefined
  const server = create((request, response) => {
    if (draining !== undefined) response.setHeader('connection', 'close')
    // No answer would get out: nothing is done for it.
    if (request.socket.writableEnded) request.socket.destroy()
    else answer(request, response)
  })
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  const inside = create(answer)
  const bound = await listen(server, host, port)
  // The port is known to be free before anything else begins.
  if (port !== 0) await stopListening(server)
  return { bound, openInside, serve, drain, end, close }

  function create(onRequest: RequestListener): Server {
    const options = {
      keepAliveTimeout: KEEP_ALIVE_MS,
      requestTimeout: requestMs,
      connectionsCheckingInterval: requestCheckMs,
    }
    const refuse = ({ code }: NodeJS.ErrnoException, socket: Socket) => refuseBytes(code, socket)
    return createServer(options, onRequest).on('clientError', refuse)
  }

  function answer(request: IncomingMessage, response: ServerResponse): void {
    if (isHealthRequest(request)) {
      const report = health.report()
      answerJson(response, report.ready ? 200 : 503, report)
    } else if (app === undefined) refuse(request, response)
    else {
      response.once('close', answers.add(response))
      app.routing(request, response)
    }
  }

  /** Opens a port of this machine for the process itself. It stays open until `close()`, also after `drain()`. */
  async function openInside(): Promise<string> {
    const { port } = await listen(inside, LOOPBACK, 0)
    return `http://${LOOPBACK}:${port}`
  }

  async function serve(one: App): Promise<void> {
    await one.ready()
    app = one
    if (!server.listening) await listen(server, host, port)
  }

  /** Takes no more connections, serves each kept connection once more, and resolves when no connection is left. */
  function drain(): Promise<void> {
    draining ??= closeKept()
    return draining
  }

  async function closeKept(): Promise<void> {
    // Connections that the system has taken, and this process has not yet, would be reset: their requests may be sent.
    for (let turns = 0; turns < ACCEPT_TURNS; turns += 1) await nextTurn()
    const closed = stopListening(server)
    for (const response of answers.list()) closeAfter(response)
    server.keepAliveTimeout = DRAIN_KEEP_ALIVE_MS
    const timer = setTimeout(() => {
      server.closeIdleConnections()
      // Node mistakes a connection that has brought nothing yet for a busy one.
      for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy()
    }, DRAIN_KEEP_ALIVE_MS)
    await closed
    clearTimeout(timer)
  }

  /** Ends the app: answers that are on their way, and kept connections, get a moment, then all are cut. */
  async function end(timeoutMs: number): Promise<void> {
    await settleWithin([drain()], Math.min(timeoutMs, DRAIN_KEEP_ALIVE_MS))
    server.closeIdleConnections()
    const ended = app
    app = undefined
    const ends = answers.list().map((response) => once(response, 'close'))
    await settleWithin(ends, Math.min(timeoutMs, CLOSE_MS_MAX))
    for (const response of answers.list()) response.destroy()
    await ended?.close()
  }

  async function close(): Promise<void> {
    for (const one of [server, inside]) one.closeAllConnections()
    await Promise.all([server, inside].map(stopListening))
  }
}

async function listen(server: Server, host: string, port: number): Promise<AddressInfo> {
  try {
    await once(server.listen(port, host), 'listening')
    return server.address() as AddressInfo
  } catch (error) {
    throw toListenRefusal(error, { setting: 'PORT', host, port })
  }
}

/** A client that has read that its connection is kept must read its end together with the last bytes of the answer. */
function closeAfter(response: ServerResponse): void {
  const { socket } = response
  if (!response.headersSent) response.setHeader('connection', 'close')
  else response.once('prefinish', () => socket?.end())
}

/** Bypasses the HTTP server, which would close kept connections. */
function stopListening(server: Server): Promise<void> {
  return new Promise((done) => TcpServer.prototype.close.call(server, () => done()))
}

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

/** Lets a client that still sends read its answer: Node's `destroySoon()` would reset the connection. */
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
