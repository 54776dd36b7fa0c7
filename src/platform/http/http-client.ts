/**
 * The HTTP client of the program, and the readers of its answers.
 *
 * In: a request. Out: an exchange, which says whether the request was answered, unsent or lost.
 *
 * Only chat upstreams (`service/providers/openai`) and callbacks (`service/callback/post.ts`) use undici directly.
 */
import type { LookupFunction } from 'node:net'
import type { Readable } from 'node:stream'
import { Agent, type Dispatcher } from 'undici'
import type { Proxies } from './proxies.ts'

export type HttpHeaders = Readonly<Record<string, string | string[] | undefined>>

/** A body as it arrives. Its reader reads it whole, dumps or destroys it. */
export type OpenBody = Dispatcher.ResponseData['body']

export interface Answer<Body = Buffer> {
  status: number
  headers: HttpHeaders
  body: Body
}

/**
 * The outcome of a request. `unsent`: no byte was sent, so a repeat is safe. `lost`: the server may have carried it
 * out, but no whole answer came.
 */
export type Exchange<Body = Buffer> =
  | ({ outcome: 'answered' } & Answer<Body>)
  | { outcome: 'unsent' | 'lost'; cause: unknown }

export class AnswerTooLongError extends Error {
  override readonly name = 'AnswerTooLongError'
}

export interface HttpRequest {
  method: 'GET' | 'POST'
  url: string
  headers: Record<string, string>
  /** JSON, or a file whose type and length are in the headers. */
  body?: string | Readable | undefined
  /** From the connection to the first byte of the answer, exact to about a second. */
  headersMs: number
  signal?: AbortSignal | undefined
}

interface HttpClientOptions {
  connectMs: number
  silenceMs: number
  reusesConnections?: boolean
  /** Longest idle time of a kept connection, unless the server sets less. Default 4 s. */
  keptMs?: number | undefined
  lookup?: LookupFunction | undefined
  proxies?: Proxies | undefined
}

/**
 * Creates an HTTP client that follows no redirect and sends nothing twice.
 *
 * Each request has its own connection: a server may close a kept connection at the moment of a request, which would
 * seem lost although the server never read it. Reuse costs a quarter and is for requests that a repeat does not harm.
 */
export function createHttpClient(options: HttpClientOptions) {
  const { connectMs, silenceMs, reusesConnections = false, keptMs, lookup, proxies } = options
  const agent = new Agent({
    pipelining: reusesConnections ? 1 : 0,
    // A connection of HTTP/2 would carry several requests.
    allowH2: false,
    connect:
      proxies === undefined
        ? { timeout: connectMs, ...(lookup !== undefined && { lookup }) }
        : proxies.connectWithin(connectMs),
    bodyTimeout: silenceMs,
    ...(keptMs !== undefined && { keepAliveTimeout: keptMs }),
  })
  return { open, close: () => agent.destroy() }

  /** Resolves with the head of the answer. Never rejects: an abort is an outcome. */
  async function open({ url, body, ...request }: HttpRequest): Promise<Exchange<OpenBody>> {
    const { method, headersMs: headersTimeout, signal } = request
    let isSent = false
    const observed = agent.compose(
      beforeSending(() => {
        isSent = true
      }),
    )
    try {
      signal?.throwIfAborted()
      const { origin, pathname, search } = new URL(url)
      const isJson = typeof body === 'string'
      const headers = isJson ? { 'content-type': 'application/json' } : {}
      const asked = { origin, path: pathname + search, method, body: body ?? null, headersTimeout }
      const sent = { ...asked, headers: { ...request.headers, ...headers }, signal: signal ?? null }
      const answer = await untilAborted(observed.request(sent), signal)
      // An error before anyone reads would be unhandled; readers receive it, too.
      answer.body.on('error', () => {})
      const { statusCode: status } = answer
      return { outcome: 'answered', status, headers: answer.headers, body: answer.body }
    } catch (cause) {
      return { outcome: isSent ? 'lost' : 'unsent', cause }
    }
  }
}

function beforeSending(onSending: () => void): Dispatcher.DispatcherComposeInterceptor {
  return (dispatch) => (options, handler) =>
    dispatch(options, {
      onRequestStart(controller, context) {
        handler.onRequestStart?.(controller, context)
        // undici does not write a request that was aborted before its connection was open.
        if (!controller.aborted) onSending()
      },
      onResponseStart: (...args) => handler.onResponseStart?.(...args),
      onResponseData: (...args) => handler.onResponseData?.(...args),
      onResponseEnd: (...args) => handler.onResponseEnd?.(...args),
      onResponseError: (...args) => handler.onResponseError?.(...args),
    })
}

/** undici checks the signal only once it has a connection. */
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

/** Reads the whole body of an answer. The body of a refusal (400 and above) is empty if it breaks off or is too long. */
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

/** Reads at most the first bytes of a body, fewer if it breaks off. Never rejects. */
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
    // The bytes before the break are the result.
  }
  return Buffer.concat(pieces).subarray(0, bytesMax)
}

/** @throws {AnswerTooLongError} Beyond `bytesMax`, which also ends the connection. */
export async function readBody(body: AsyncIterable<Uint8Array>, bytesMax: number): Promise<Buffer> {
  const tooLong = () =>
    new AnswerTooLongError(`Cannot read answer: it has more than ${bytesMax} bytes`)
  return Buffer.concat(await Array.fromAsync(upTo(body, bytesMax, tooLong)))
}

export async function* upTo(
  pieces: AsyncIterable<Uint8Array>,
  bytesMax: number,
  toError: () => Error,
): AsyncGenerator<Uint8Array, void> {
  let bytes = 0
  for await (const piece of pieces) {
    bytes += piece.byteLength
    if (bytes > bytesMax) throw toError()
    yield piece
  }
}

export function readHeader(headers: HttpHeaders, name: string): string | undefined {
  const value = headers[name]
  return Array.isArray(value) ? value[0] : value
}

/** Reads `Retry-After` in milliseconds: seconds, or an HTTP date, which counts from the answer's own `Date`. */
export function readRetryAfterMs(headers: HttpHeaders, now = new Date()): number | undefined {
  const text = readHeader(headers, 'retry-after')?.trim() ?? ''
  if (/^\d{1,9}(\.\d+)?$/.test(text)) return Math.ceil(Number(text) * 1000)
  // Date.parse() finds a date in almost anything; HTTP dates begin with the day of the week.
  const until = /^[A-Z][a-z]{2,8},? /.test(text) ? Date.parse(text) : Number.NaN
  if (Number.isNaN(until)) return undefined
  return Math.max(0, until - (readDateMs(headers) ?? now.getTime()))
}

function readDateMs(headers: HttpHeaders): number | undefined {
  const ms = Date.parse(readHeader(headers, 'date') ?? '')
  return Number.isNaN(ms) ? undefined : ms
}
