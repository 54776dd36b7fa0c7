import { errors } from 'undici'
import {
  type Answer,
  AnswerTooLongError,
  type Exchange,
  type OpenBody,
  readWholeAnswer,
} from '../../platform/http/exchange.ts'
import { type HttpHeaders, readRetryAfterMs } from '../../platform/http/headers.ts'
import { createHttpClient } from '../../platform/http/http-client.ts'
import { parseJson } from '../../platform/http/json.ts'
import type { Proxies } from '../../platform/http/proxies.ts'
import { OutcomeUnknownError, ServiceUnavailableError, UnexpectedAnswerError } from './errors.ts'
import { toRefusalError } from './refusals.ts'

/** Longest whole answer. A model's longest text is far below it. */
const ANSWER_BYTES_MAX = 32 * 1024 * 1024

const REFUSAL_BYTES_MAX = 64 * 1024
const ANSWER_BOUNDS = { bytesMax: ANSWER_BYTES_MAX, refusalBytesMax: REFUSAL_BYTES_MAX }
/** How long the end of an already whole stream is waited for, so that the service sees no reader leave. */
const DRAIN_MS_MAX = 5_000

/**
 * How long to wait for what, to about a second (the resolution of undici's timers).
 *
 * There is no bound on a whole stream: an answer may take as long as it keeps coming.
 */
export interface ServiceTimeouts {
  connectMs: number
  /** The time to the first byte of a chat's answer: the model's thinking, in plain mode the whole answer. */
  firstByteMs: number
  /** Silence between two pieces of a body. A keep-alive comment breaks it. */
  silenceMs: number
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
  action: string
  method: 'GET' | 'POST'
  path: string
  body?: string
  headers?: Record<string, string>
  firstByteMs: number
  /**
   * True if it may go over a connection that was used before: for what is asked often, and asked again
   * where the other side was just closing that connection.
   */
  reusesConnection?: boolean
  isAlwaysThere?: boolean
  signal: AbortSignal | undefined
}

/** A 2xx answer that has begun. */
export type BegunAnswer = Answer<OpenBody>

/** HTTP to one service with one key. Nothing is repeated here. */
export function createServiceHttp({
  baseUrl,
  apiKey,
  timeouts,
  proxies,
  whenAllowed,
  onAnswer,
}: {
  baseUrl: string
  apiKey: string
  timeouts: ServiceTimeouts
  proxies?: Proxies | undefined
  whenAllowed: () => Promise<void>
  onAnswer: () => void
}) {
  if (apiKey === '') throw new TypeError('Cannot create service client: the API key is empty')
  const { origin, pathname } = new URL(baseUrl)
  const root = origin + pathname.replace(/\/+$/, '')
  const single = createHttpClient({ ...timeouts, proxies })
  const reusing = createHttpClient({ ...timeouts, proxies, reusesConnections: true })
  return { open, read, ask, close }

  async function close(): Promise<void> {
    await Promise.all([single.close(), reusing.close()])
  }

  /**
   * Sends a request and resolves with its 2xx answer. The body is the caller's: read it, `drain()` or destroy it.
   *
   * @throws The signal's reason if it aborted; otherwise the {@link ServiceError} that fits.
   */
  async function open(call: Call): Promise<BegunAnswer> {
    await whenAllowed()
    const answer = answerOf(call, await clientOf(call).open(toRequest(call)))
    if (answer.status < 500) onAnswer()
    if (isTaken(answer)) return answer
    const refusal = await readWholeAnswer(answer, REFUSAL_BYTES_MAX)
    call.signal?.throwIfAborted()
    throw refusalOf(call, answerOf(call, refusal))
  }

  /**
   * Reads an answer's whole body as JSON. Throws as `open()` does.
   *
   * @param reader Makes a value of the JSON; undefined if it does not understand it.
   */
  async function read<T>(
    call: Call,
    answer: BegunAnswer,
    reader: (json: unknown) => T | undefined,
  ): Promise<T> {
    const whole = await readWholeAnswer(answer, ANSWER_BYTES_MAX)
    return understand(call, answerOf(call, whole), reader)
  }

  async function ask<T>(
    call: Call,
    reader: (json: unknown) => T | undefined,
  ): Promise<{ value: T; headers: HttpHeaders }> {
    await whenAllowed()
    const exchange = await clientOf(call).ask(toRequest(call), ANSWER_BOUNDS)
    const answer = answerOf(call, exchange)
    if (answer.status < 500) onAnswer()
    if (!isTaken(answer)) throw refusalOf(call, answer)
    return { value: understand(call, answer, reader), headers: answer.headers }
  }

  function clientOf({ reusesConnection }: Call) {
    return reusesConnection ? reusing : single
  }

  function toRequest({ method, path, body, headers, firstByteMs: headersMs, signal }: Call) {
    const sent = { authorization: `Bearer ${apiKey}`, accept: 'application/json', ...headers }
    return { method, url: root + path, headers: sent, body, headersMs, signal }
  }

  function refusalOf({ action, method, isAlwaysThere }: Call, { status, headers, body }: Answer) {
    return toRefusalError({
      action,
      method,
      status,
      // A remote service may quote the key it refuses.
      body: body.toString().replaceAll(apiKey, '[key]'),
      retryAfterMs: readRetryAfterMs(headers),
      isAlwaysThere,
    })
  }
}

function understand<T>(
  { action }: Call,
  { status, body }: Answer,
  reader: (json: unknown) => T | undefined,
): T {
  const value = reader(parseJson(body.toString()))
  if (value !== undefined) return value
  throw new UnexpectedAnswerError(`Cannot ${action}: the answer has an unknown shape`, { status })
}

function isTaken({ status }: Answer<unknown>): boolean {
  return status >= 200 && status < 300
}

/** Reads a whole body to its end without waiting for it. */
export function drain(body: OpenBody): void {
  const limits = { limit: Number.MAX_SAFE_INTEGER, signal: AbortSignal.timeout(DRAIN_MS_MAX) }
  // The answer is whole: what goes wrong after it changes nothing.
  body.dump(limits).catch(() => {})
}

function answerOf<Body>({ action, method, signal }: Call, exchange: Exchange<Body>): Answer<Body> {
  if (exchange.outcome === 'answered') return exchange
  const { outcome, cause } = exchange
  signal?.throwIfAborted()
  if (cause instanceof errors.InvalidArgumentError) throw cause // A mistake of the program.
  if (outcome === 'unsent') {
    throw new ServiceUnavailableError(`Cannot ${action}: the service was not reached`, { cause })
  }
  if (cause instanceof AnswerTooLongError) {
    throw new UnexpectedAnswerError(`Cannot ${action}: the answer is too long`, { cause })
  }
  const message = `Cannot ${action}: no whole answer came`
  if (method === 'GET') throw new ServiceUnavailableError(message, { cause })
  throw new OutcomeUnknownError(message, { cause })
}
