import type { LookupFunction } from 'node:net'
import type { Readable } from 'node:stream'
import { Agent, type Dispatcher } from 'undici'
import type { Exchange, OpenBody } from './exchange.ts'
import type { Proxies } from './proxies.ts'

export interface HttpRequest {
  method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'DELETE'
  url: string
  headers: Record<string, string>
  /** JSON text, or a file whose type and length are in the headers. */
  body?: string | Readable | undefined
  /** The time from the connection to the first byte of the answer, to about a second. */
  headersMs: number
  signal?: AbortSignal | undefined
}

export interface HttpTimeouts {
  connectMs: number
  silenceMs: number
}

export interface HttpClientOptions extends HttpTimeouts {
  reusesConnections?: boolean
  /** How long such a connection is kept that nothing uses, unless the other side says less. Default 4 s. */
  keptMs?: number | undefined
  lookup?: LookupFunction | undefined
  proxies?: Proxies | undefined
}

/**
 * Opens HTTP to other servers. No redirect is followed and nothing is sent twice.
 *
 * The bot, the service and the command line ask other servers through here, with two exceptions: chat upstreams, whose
 * answers are parsed as they come (`service/providers/openai`), and callbacks (`service/callback/post.ts` says why).
 *
 * Each request has a connection of its own: one that was kept, and that the other side closes at the same
 * moment, would make a request that was never read seem lost. Where that does no harm, connections that
 * are used again cost a quarter.
 */
export function createHttpClient(options: HttpClientOptions) {
  const { connectMs, silenceMs, reusesConnections = false, keptMs, lookup, proxies } = options
  const agent = new Agent({
    pipelining: reusesConnections ? 1 : 0,
    // One connection of HTTP/2 would carry several requests.
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

  /** Sends a request and waits for the head of its answer. Never rejects: an abort is an outcome as well. */
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
      // Readers see an error for themselves; this one keeps it from being unhandled before they read.
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
