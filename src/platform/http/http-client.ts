import type { LookupFunction } from 'node:net'
import type { Readable } from 'node:stream'
import { Agent, type Dispatcher } from 'undici'
import type { Exchange, OpenBody } from './exchange.ts'
import type { Proxies } from './proxies.ts'
import { WholeAnswer, type WholeAnswerBounds } from './whole-answer.ts'

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
export function createHttpClient({
  connectMs,
  silenceMs,
  reusesConnections = false,
  keptMs,
  lookup,
  proxies,
}: HttpClientOptions) {
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
  return { open, ask, close }

  /** Sends a request and waits for the head of its answer. Never rejects: an abort is an outcome as well. */
  async function open(request: HttpRequest): Promise<Exchange<OpenBody>> {
    const { signal } = request
    let isSent = false
    const onSending = () => {
      isSent = true
    }
    try {
      signal?.throwIfAborted()
      const options = toOptions(request)
      const answering = agent
        .compose(beforeSending(onSending))
        .request({ ...options, signal: signal ?? null })
      const answer = await untilAborted(answering, signal)
      // Readers see an error for themselves; this one keeps it from being unhandled before they read.
      answer.body.on('error', () => {})
      const { statusCode: status } = answer
      return { outcome: 'answered', status, headers: answer.headers, body: answer.body }
    } catch (cause) {
      return { outcome: isSent ? 'lost' : 'unsent', cause }
    }
  }

  /**
   * Sends a request and waits for its whole answer, which costs half of what an open body does. Never rejects:
   * an abort is an outcome as well.
   *
   * @returns `lost`, with an `AnswerTooLongError` as its cause, beyond `bytesMax`.
   */
  async function ask(request: HttpRequest, bounds: WholeAnswerBounds): Promise<Exchange> {
    const { signal } = request
    const answer = new WholeAnswer(bounds)
    const abort = () => answer.abort(signal?.reason)
    try {
      signal?.throwIfAborted()
      signal?.addEventListener('abort', abort, { once: true })
      agent.dispatch(toOptions(request), answer)
      return await answer.exchange
    } catch (cause) {
      return { outcome: 'unsent', cause }
    } finally {
      signal?.removeEventListener('abort', abort)
    }
  }

  function toOptions({ method, url, headers, body, headersMs }: HttpRequest) {
    const { origin, pathname, search } = new URL(url)
    const typed =
      typeof body === 'string' ? { ...headers, 'content-type': 'application/json' } : headers
    return {
      origin,
      path: pathname + search,
      method,
      headers: typed,
      body: body ?? null,
      headersTimeout: headersMs,
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
