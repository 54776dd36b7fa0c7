import { Agent, type Dispatcher, errors } from 'undici'
import { OutcomeUnknownError, ServiceUnavailableError, UnexpectedAnswerError } from './errors.ts'
import { parseJson } from './read-json.ts'
import { type Refusal, toRefusalError } from './refusals.ts'
import { parseRetryAfter } from './retry.ts'

/** Connections held at once; a stream has one to itself for as long as it lasts. */
const CONNECTIONS_MAX = 256
/** Longest whole answer. A model's longest text is far below it. */
const ANSWER_BYTES_MAX = 32 * 1024 * 1024

const REFUSAL_BYTES_MAX = 64 * 1024
/** How long the end of an already whole stream is waited for, to use its connection again. */
const DRAIN_MS_MAX = 5_000

/**
 * How long to wait for what, to about a second (the resolution of undici's timers).
 *
 * There is no bound on a whole stream: an answer may take as long as it keeps coming.
 */
export interface ServiceTimeouts {
  /** To open a connection, the TLS handshake included. */
  connectMs: number
  /** From a chat request to its first byte: the model's thinking, in plain mode the whole answer. */
  firstByteMs: number
  /** Silence between two pieces of a body. A keep-alive comment breaks it. */
  silenceMs: number
  /** From any other request to its first byte. */
  answerMs: number
}

export const DEFAULT_TIMEOUTS: ServiceTimeouts = {
  connectMs: 10_000,
  firstByteMs: 300_000,
  silenceMs: 120_000,
  answerMs: 30_000,
}

/** One HTTP request below the base URL. */
export interface Call {
  /** What is being done, in the infinitive, for error messages: "create video". */
  action: string
  method: 'GET' | 'POST'
  path: string
  /** The JSON text of a POST. */
  body?: string
  headers?: Record<string, string>
  firstByteMs: number
  signal: AbortSignal | undefined
}

export type OpenAnswer = Pick<Dispatcher.ResponseData, 'statusCode' | 'headers' | 'body'>

export interface ServiceHttp {
  /**
   * Sends a request and resolves with its 2xx answer. The body is the caller's: read it, `drain()` or destroy it.
   *
   * @throws The signal's reason if it aborted; otherwise the {@link ServiceError} that fits.
   */
  open(call: Call): Promise<OpenAnswer>
  /**
   * Reads an answer's whole body as JSON. Throws as `open()` does.
   *
   * @param reader Makes a value of the JSON; undefined if it does not understand it.
   */
  read<T>(call: Call, answer: OpenAnswer, reader: (json: unknown) => T | undefined): Promise<T>
  /** Ends every open request at once and closes the connections. */
  close(): Promise<void>
}

/** HTTP to one service with one key, over a pool of connections. Nothing is repeated here. */
export function createServiceHttp({
  baseUrl,
  apiKey,
  timeouts,
}: {
  baseUrl: string
  apiKey: string
  timeouts: ServiceTimeouts
}): ServiceHttp {
  if (apiKey === '') throw new TypeError('Cannot create service client: the API key is empty')
  const { origin, pathname } = new URL(baseUrl)
  const root = pathname.replace(/\/+$/, '')
  const agent = new Agent({
    // With HTTP/1.1 a stream that is left early ends its own connection and no other's.
    allowH2: false,
    connections: CONNECTIONS_MAX,
    connect: { timeout: timeouts.connectMs },
    bodyTimeout: timeouts.silenceMs,
  })

  return { open, read, close: () => agent.destroy() }

  async function open(call: Call): Promise<OpenAnswer> {
    const answer = await send(call)
    if (answer.statusCode >= 200 && answer.statusCode < 300) return answer
    throw toRefusalError(await readRefusal(call, answer))
  }

  async function read<T>(
    call: Call,
    { statusCode, body }: OpenAnswer,
    reader: (json: unknown) => T | undefined,
  ): Promise<T> {
    let text: string | undefined
    try {
      text = await readBody(body, ANSWER_BYTES_MAX)
    } catch (cause) {
      throw toLostError(call, { isSent: true, cause })
    }
    const value = text === undefined ? undefined : reader(parseJson(text))
    if (value !== undefined) return value
    const reason = text === undefined ? 'is too long' : 'has an unknown shape'
    throw new UnexpectedAnswerError(`Cannot ${call.action}: the answer ${reason}`, {
      status: statusCode,
    })
  }

  async function send(call: Call): Promise<Dispatcher.ResponseData> {
    let isSent = false
    const noteSent = () => {
      isSent = true
    }
    call.signal?.throwIfAborted()
    try {
      const answer = await untilAborted(
        agent.compose(beforeSending(noteSent)).request({
          origin,
          path: `${root}${call.path}`,
          method: call.method,
          headers: {
            authorization: `Bearer ${apiKey}`,
            accept: 'application/json',
            ...(call.body !== undefined && { 'content-type': 'application/json' }),
            ...call.headers,
          },
          body: call.body ?? null,
          headersTimeout: call.firstByteMs,
          signal: call.signal ?? null,
        }),
        call.signal,
      )
      // Readers see an error for themselves; this one keeps it from being unhandled between them.
      answer.body.on('error', () => {})
      return answer
    } catch (cause) {
      throw toLostError(call, { isSent, cause })
    }
  }

  /** A refusal's status says enough: a body that does not arrive is no body. */
  async function readRefusal(
    { action, method, signal }: Call,
    { statusCode, headers, body }: Dispatcher.ResponseData,
  ): Promise<Refusal> {
    const text = await readBody(body, REFUSAL_BYTES_MAX).catch(() => undefined)
    signal?.throwIfAborted()
    const retryAfter = { date: header(headers, 'date'), now: new Date() }
    return {
      action,
      method,
      status: statusCode,
      // A remote service may quote the key it refuses.
      body: (text ?? '').replaceAll(apiKey, '[key]'),
      retryAfterMs: parseRetryAfter(header(headers, 'retry-after'), retryAfter),
    }
  }
}

/** The value of an answer's header; the first where it came several times. */
export function header(headers: OpenAnswer['headers'], name: string): string | undefined {
  const value = headers[name]
  return Array.isArray(value) ? value[0] : value
}

/** Reads a whole body to its end without waiting for it, so that its connection can be used again. */
export function drain(body: OpenAnswer['body']): void {
  const limits = { limit: Number.MAX_SAFE_INTEGER, signal: AbortSignal.timeout(DRAIN_MS_MAX) }
  // What goes wrong here goes wrong after the answer was whole: nobody needs to know.
  body.dump(limits).catch(() => {})
}

/** What a request that got no whole answer is to its caller. */
function toLostError(
  { action, method, signal }: Call,
  { isSent, cause }: { isSent: boolean; cause: unknown },
): unknown {
  if (signal?.aborted) return signal.reason
  if (cause instanceof errors.InvalidArgumentError) return cause // A mistake of the program.
  if (!isSent) {
    return new ServiceUnavailableError(`Cannot ${action}: the service was not reached`, { cause })
  }
  const message = `Cannot ${action}: no whole answer came`
  if (method === 'GET') return new ServiceUnavailableError(message, { cause })
  return new OutcomeUnknownError(message, { cause })
}

/** Undefined when the body is longer than the bound; the connection is closed then. */
async function readBody(body: OpenAnswer['body'], bytesMax: number): Promise<string | undefined> {
  const pieces: Uint8Array[] = []
  let bytes = 0
  for await (const piece of body as AsyncIterable<Uint8Array>) {
    bytes += piece.length
    if (bytes > bytesMax) return undefined
    pieces.push(piece)
  }
  return new TextDecoder().decode(Buffer.concat(pieces))
}

/** Calls `onSending` when a connection is there and the request is about to be written to it. */
function beforeSending(onSending: () => void): Dispatcher.DispatcherComposeInterceptor {
  return (dispatch) => (options, handler) =>
    dispatch(options, {
      onRequestStart(controller, context) {
        onSending()
        handler.onRequestStart?.(controller, context)
      },
      onResponseStart: (...args) => handler.onResponseStart?.(...args),
      onResponseData: (...args) => handler.onResponseData?.(...args),
      onResponseEnd: (...args) => handler.onResponseEnd?.(...args),
      onResponseError: (...args) => handler.onResponseError?.(...args),
    })
}

/** undici looks at the signal only once it has a connection; a caller that aborts does not wait for one. */
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
