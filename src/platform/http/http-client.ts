import type { LookupFunction } from 'node:net'
import type { Readable } from 'node:stream'
import { Agent, type Dispatcher } from 'undici'
import type { Exchange, OpenBody } from './exchange.ts'
import type { Proxies } from './proxies.ts'

export interface HttpRequest {
  method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'DELETE'
  url: string
  headers: Record<string, string>
  /** JSON, or a file whose type and length are in the headers. */
  body?: string | Readable | undefined
  /** From the connection to the first byte of the answer, exact to about a second. */
  headersMs: number
  signal?: AbortSignal | undefined
}

export interface HttpTimeouts {
  connectMs: number
  silenceMs: number
}

export interface HttpClientOptions extends HttpTimeouts {
  reusesConnections?: boolean
  /** Longest idle time of a kept connection, unless the server sets less. Default 4 s. */
  keptMs?: number | undefined
  lookup?: LookupFunction | undefined
  proxies?: Proxies | undefined
}

/**
 * Creates an HTTP client that follows no redirect and sends nothing twice.
 *
 * Only chat upstreams (`service/providers/openai`) and callbacks (`service/callback/post.ts`) use undici directly.
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
  const close = () => agent.destroy()
  return { open, close }

  /** Sends a request and resolves with the head of its answer. Never rejects: an abort is an outcome. */
  async function open({ url, body, ...request }: HttpRequest): Promise<Exchange<OpenBody>> {
    const { method, headersMs: headersTimeout, signal } = request
    let isSent = false
    const onSending = () => {
      isSent = true
    }
    try {
      signal?.throwIfAborted()
      const { origin, pathname, search } = new URL(url)
      const isJson = typeof body === 'string'
      const headers = isJson ? { 'content-type': 'application/json' } : {}
      const asked = { origin, path: pathname + search, method, body: body ?? null, headersTimeout }
      const answering = agent
        .compose(beforeSending(onSending))
        .request({ ...asked, headers: { ...request.headers, ...headers }, signal: signal ?? null })
      const answer = await untilAborted(answering, signal)
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
