import { Agent, type Dispatcher } from 'undici'

const CONNECT_MS_MAX = 10_000
const HEADERS_MS_MAX = 30_000
const SILENCE_MS_MAX = 30_000
/** Largest answer taken: a few pictures in base64. */
const ANSWER_BYTES_MAX = 100 * 2 ** 20

export interface ExchangeRequest {
  method: 'GET' | 'POST'
  url: string
  headers: Record<string, string>
  /** Sent as JSON. */
  body?: unknown
  /** How long the first byte of the answer may take. */
  headersMs?: number
  signal: AbortSignal
}

export interface Answer {
  status: number
  headers: Dispatcher.ResponseData['headers']
  /** Empty if the answer is a refusal whose body did not arrive: its status says enough. */
  body: Buffer
}

/** What became of a request. `lost`: it went out, at least in part, and no whole answer came back. */
export type Exchange =
  | ({ outcome: 'answered' } & Answer)
  | { outcome: 'unsent'; cause: unknown }
  | { outcome: 'lost'; cause: unknown }

/** Sends one request and reads its whole answer. Never throws: also an abort is an outcome. */
export type SendRequest = (request: ExchangeRequest) => Promise<Exchange>

/**
 * Opens HTTP to a provider. Each request has a connection of its own: one that was kept and closed by
 * the other side meanwhile would make a request that never left look lost.
 */
export function createHttpExchange(): SendRequest {
  const agent = new Agent({
    pipelining: 0,
    connect: { timeout: CONNECT_MS_MAX },
    bodyTimeout: SILENCE_MS_MAX,
  })
  return send

  async function send(request: ExchangeRequest): Promise<Exchange> {
    const { method, url, headers, body, headersMs = HEADERS_MS_MAX, signal } = request
    let isSent = false
    const noteSending = () => {
      isSent = true
    }
    try {
      const { origin, pathname, search } = new URL(url)
      const answering = agent.compose(beforeSending(noteSending)).request({
        origin,
        path: pathname + search,
        method,
        headers: { ...headers, ...(body !== undefined && { 'content-type': 'application/json' }) },
        body: body === undefined ? null : JSON.stringify(body),
        headersTimeout: headersMs,
        signal,
      })
      const answer = await untilAborted(answering, signal)
      // Readers see an error for themselves; this one keeps it from being unhandled before they read.
      answer.body.on('error', () => {})
      return await readAnswer(answer)
    } catch (cause) {
      return { outcome: isSent ? 'lost' : 'unsent', cause }
    }
  }
}

/** The JSON of an answer; undefined if it is none. */
export function readJson({ body }: Answer): unknown {
  try {
    return JSON.parse(body.toString())
  } catch {
    return undefined
  }
}

/** How long the other side asks to be left alone, by its `Retry-After`; undefined if it does not say. */
export function readRetryAfterMs({ headers }: Answer, now = new Date()): number | undefined {
  const value = String(headers['retry-after'] ?? '').trim()
  if (/^\d{1,9}$/.test(value)) return Number(value) * 1000
  const at = Date.parse(value)
  return Number.isNaN(at) ? undefined : Math.max(0, at - now.getTime())
}

async function readAnswer({
  statusCode: status,
  headers,
  body,
}: Dispatcher.ResponseData): Promise<Exchange> {
  try {
    return { outcome: 'answered', status, headers, body: await readBody(body) }
  } catch (cause) {
    if (status < 400) return { outcome: 'lost', cause }
    return { outcome: 'answered', status, headers, body: Buffer.alloc(0) }
  }
}

/** An iterator left early destroys the body, and with it the connection. */
async function readBody(body: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const pieces: Uint8Array[] = []
  let bytes = 0
  for await (const piece of body) {
    bytes += piece.byteLength
    if (bytes > ANSWER_BYTES_MAX) throw new Error('Cannot read answer: it is too long')
    pieces.push(piece)
  }
  return Buffer.concat(pieces)
}

/** Calls `onSending` when a connection is there and the request is about to be written to it. */
function beforeSending(onSending: () => void): Dispatcher.DispatcherComposeInterceptor {
  return (dispatch) => (options, handler) =>
    dispatch(options, {
      onRequestStart(controller, context) {
        handler.onRequestStart?.(controller, context)
        if (!controller.aborted) onSending()
      },
      onResponseStart: (...args) => handler.onResponseStart?.(...args),
      onResponseData: (...args) => handler.onResponseData?.(...args),
      onResponseEnd: (...args) => handler.onResponseEnd?.(...args),
      onResponseError: (...args) => handler.onResponseError?.(...args),
    })
}

/** undici looks at the signal only once it has a connection; who aborts does not wait for one. */
async function untilAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise: aborted, reject } = Promise.withResolvers<never>()
  const abort = () => reject(signal.reason)
  if (signal.aborted) abort()
  signal.addEventListener('abort', abort, { once: true })
  try {
    return await Promise.race([promise, aborted])
  } finally {
    signal.removeEventListener('abort', abort)
  }
}
