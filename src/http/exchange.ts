import { Agent, type Dispatcher } from 'undici'
import { inSpan, type Span, withTraceparent } from '../tracing/span.ts'
import type { HttpHeaders } from './headers.ts'

export interface HttpRequest {
  method: 'GET' | 'POST'
  url: string
  headers: Record<string, string>
  /** JSON text. */
  body?: string | undefined
  /** From the connection to the first byte of the answer, to about a second. */
  headersMs: number
  signal?: AbortSignal | undefined
}

/** A body as it arrives. Read it, `drain()` it or destroy it; leaving an iterator early destroys it. */
export type OpenBody = Dispatcher.ResponseData['body']

export interface Answer<Body = Buffer> {
  status: number
  headers: HttpHeaders
  body: Body
}

/**
 * What became of a request. `unsent`: not one byte of it went out, so that it may be sent again. `lost`:
 * it went out, at least in part, and no whole answer came back, so that it may have been carried out.
 *
 * @see docs/service.md#was-it-sent
 */
export type Exchange<Body = Buffer> =
  | ({ outcome: 'answered' } & Answer<Body>)
  | { outcome: 'unsent' | 'lost'; cause: unknown }

export interface HttpTimeouts {
  /** To open a connection, with its TLS handshake. */
  connectMs: number
  /** Silence between two pieces of a body. */
  silenceMs: number
}

export interface HttpClientOptions extends HttpTimeouts {
  /** Whether requests may go over connections that were used before. Default false. */
  reusesConnections?: boolean
}

/** An answer has more bytes than its reader takes. */
export class AnswerTooLongError extends Error {
  override readonly name = 'AnswerTooLongError'
}

/**
 * Opens HTTP to other servers. No redirect is followed and nothing is sent twice.
 *
 * Each request has a connection of its own: one that was kept, and that the other side closes at the same
 * moment, would make a request that was never read seem lost. Where that does no harm, connections that
 * are used again cost a quarter.
 */
export function createHttpClient({
  connectMs,
  silenceMs,
  reusesConnections = false,
}: HttpClientOptions) {
  const agent = new Agent({
    pipelining: reusesConnections ? 1 : 0,
    // One connection of HTTP/2 would carry several requests.
    allowH2: false,
    connect: { timeout: connectMs },
    bodyTimeout: silenceMs,
  })
  /** Ends every request that is open at once. */
  const close = () => agent.destroy()
  return { open, close }

  /** Sends a request and waits for the head of its answer. Never rejects: an abort is an outcome as well. */
  function open(request: HttpRequest): Promise<Exchange<OpenBody>> {
    const span = toSpan(request)
    return inSpan(span, async () => {
      const exchange = await send(request)
      if (exchange.outcome === 'answered') {
        span.attributes['http.response.status_code'] = exchange.status
      } else span.error = exchange.cause
      return exchange
    })
  }

  async function send(request: HttpRequest): Promise<Exchange<OpenBody>> {
    const { method, url, headers, body, headersMs, signal } = request
    let isSent = false
    const noteSending = () => {
      isSent = true
    }
    try {
      signal?.throwIfAborted()
      const { origin, pathname, search } = new URL(url)
      const answering = agent.compose(beforeSending(noteSending)).request({
        origin,
        path: pathname + search,
        method,
        headers: withTraceparent({
          ...headers,
          ...(body !== undefined && { 'content-type': 'application/json' }),
        }),
        body: body ?? null,
        headersTimeout: headersMs,
        signal: signal ?? null,
      })
      const answer = await untilAborted(answering, signal)
      // Readers see an error for themselves; this one keeps it from being unhandled before they read.
      answer.body.on('error', () => {})
      const { statusCode: status } = answer
      return { outcome: 'answered', status, headers: answer.headers, body: answer.body }
    } catch (cause) {
      return { outcome: isSent ? 'lost' : 'unsent', cause }
    }
  }
}

/**
 * Reads an answer's whole body. A refusal's status (400 and above) says enough: where its body does not
 * arrive whole within `bytesMax`, it is empty.
 *
 * @returns `answered` or `lost`, with an `AnswerTooLongError` as its cause beyond `bytesMax`.
 */
export async function readWholeAnswer(
  { status, headers, body }: Answer<OpenBody>,
  bytesMax: number,
): Promise<Exchange> {
  try {
    return { outcome: 'answered', status, headers, body: await readBody(body, bytesMax) }
  } catch (cause) {
    if (status < 400) return { outcome: 'lost', cause }
    return { outcome: 'answered', status, headers, body: Buffer.alloc(0) }
  }
}

/** Reads the first bytes of a body, at most so many; of one that breaks off, what came. Never rejects. */
export async function readHead(body: AsyncIterable<Uint8Array>, bytesMax: number): Promise<Buffer> {
  const pieces: Uint8Array[] = []
  let bytes = 0
  try {
    for await (const piece of body) {
      pieces.push(piece)
      bytes += piece.byteLength
      if (bytes >= bytesMax) break
    }
  } catch {
    // What came has to do.
  }
  return Buffer.concat(pieces).subarray(0, bytesMax)
}

/**
 * Reads a whole body. An iterator left early destroys the body, and with it the connection.
 *
 * @throws {AnswerTooLongError} Beyond `bytesMax`.
 */
export async function readBody(body: AsyncIterable<Uint8Array>, bytesMax: number): Promise<Buffer> {
  const pieces: Uint8Array[] = []
  let bytes = 0
  for await (const piece of body) {
    bytes += piece.byteLength
    if (bytes > bytesMax) {
      throw new AnswerTooLongError(`Cannot read answer: it has more than ${bytesMax} bytes`)
    }
    pieces.push(piece)
  }
  return Buffer.concat(pieces)
}

/** Until the head of the answer. Of the URL its host alone is told. */
function toSpan({ method, url }: HttpRequest): Span {
  const attributes = { 'http.request.method': method, 'server.address': URL.parse(url)?.host }
  return { name: method, kind: 'client', attributes }
}

/** Calls `onSending` when a connection is there and the request is about to be written to it. */
function beforeSending(onSending: () => void): Dispatcher.DispatcherComposeInterceptor {
  return (dispatch) => (options, handler) =>
    dispatch(options, {
      onRequestStart(controller, context) {
        handler.onRequestStart?.(controller, context)
        // What was aborted while it waited for its connection is not written.
        if (!controller.aborted) onSending()
      },
      onResponseStart: (...args) => handler.onResponseStart?.(...args),
      onResponseData: (...args) => handler.onResponseData?.(...args),
      onResponseEnd: (...args) => handler.onResponseEnd?.(...args),
      onResponseError: (...args) => handler.onResponseError?.(...args),
    })
}

/** undici checks the signal only once it has a connection; a caller that aborts does not wait for one. */
async function untilAborted<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return promise
  const { promise: aborted, reject } = Promise.withResolvers<never>()
  const onAbort = () => reject(signal.reason)
  signal.addEventListener('abort', onAbort, { once: true })
  try {
    return await Promise.race([promise, aborted])
  } finally {
    signal.removeEventListener('abort', onAbort)
  }
}
