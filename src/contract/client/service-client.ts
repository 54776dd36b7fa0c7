/**
 * The client of a service: one function per endpoint. Each throws a `ServiceError`, or the reason of its own signal, and
 * reads answers tolerantly, since a remote service may differ wherever the interface document shows no shape.
 */
import { errors } from 'undici'
import {
  type Answer,
  AnswerTooLongError,
  createHttpClient,
  type Exchange,
  type OpenBody,
  readHeader,
  readRetryAfterMs,
  readWholeAnswer,
} from '../../platform/http/http-client.ts'
import { isJsonObject, parseJson, toJsonObject } from '../../platform/http/json.ts'
import type { Proxies } from '../../platform/http/proxies.ts'
import { type Clock, systemClock } from '../../platform/time/clock.ts'
import { backoffMs, retry } from '../../platform/time/retry.ts'
import {
  type ChatMessage,
  CONTEXT_LENGTH_EXCEEDED,
  describeProblems,
  MODEL_MISCONFIGURED,
} from '../chat.ts'
import { CREATION_PATHS, type MediaRequest } from '../tasks.ts'
import { type CompletionEvent, readCompletion } from './completion-stream.ts'
import * as read from './read-answers.ts'
import { hasCode, ServiceError, type ServiceErrorCode } from './service-error.ts'

const ANSWER_BYTES_MAX = 32 * 1024 * 1024
const REFUSAL_BYTES_MAX = 64 * 1024
const DETAIL_CHARS_MAX = 2_000
/** A service with this interface explains a 404 in its own words; a framework's words are about the path. */
const WORDS_ABOUT_PATHS: readonly unknown[] = [undefined, 'Not Found', 'Method Not Allowed']
const ATTEMPTS_MAX = 3
/** Longest that one call waits between its attempts, all waits together. A longer wait belongs to the caller. */
const RETRY_WAIT_MS_MAX = 10_000
const BACKOFF = { firstMs: 500, maxMs: 1000 }
/** How long the rest of an already whole stream is read, so that the service sees no reader leave. */
const DRAIN_MS_MAX = 5_000

/** Timeouts, exact to about a second (the resolution of undici's timers). A whole stream has none. */
const TIMEOUTS = {
  connectMs: 10_000,
  /** To the first byte of a chat's answer: the model's thinking. */
  firstByteMs: 300_000,
  /** Between two pieces of a body. A keep-alive comment counts as a piece. */
  silenceMs: 120_000,
  answerMs: 30_000,
}

export interface ServiceClientOptions {
  /** Ends in `/api/v1`. */
  baseUrl: string
  apiKey: string
  timeouts?: Partial<typeof TIMEOUTS>
  proxies?: Proxies | undefined
  /** Awaited before each request; a call throws what it throws. */
  whenAllowed?: () => Promise<void>
  onAnswer?: () => void
  clock?: Pick<Clock, 'sleep'>
}

export interface CompletionRequest {
  model: string
  messages: readonly ChatMessage[]
  maxTokens?: number
}

interface CallOptions {
  signal?: AbortSignal | undefined
}

interface StreamOptions extends CallOptions {
  /** False for a caller with its own queue: a 429 is thrown at once. A 503 is retried in any case. */
  retryRateLimited?: boolean | undefined
}

/** A service creates at most one task for a key, if it honours keys at all (see `balance()`). */
interface CreateOptions extends CallOptions {
  idempotencyKey?: string | undefined
  callbackUrl?: string | undefined
}

interface Call extends CallOptions {
  action: string
  path: string
  body?: string
  headers?: Record<string, string>
  headersMs?: number
  isAlwaysThere?: boolean
  /** True for frequent requests that do no harm if they are repeated: the server may close a kept connection. */
  reusesConnection?: boolean
  /** Statuses after which it is repeated, within bounds: they come before anything is charged. */
  repeatsAfter?: readonly (429 | 503)[]
}

const REFUSED = [429, 503] as const

export type ServiceClient = ReturnType<typeof createServiceClient>

export function createServiceClient(options: ServiceClientOptions) {
  const { baseUrl, apiKey, proxies, whenAllowed, onAnswer, clock = systemClock } = options
  if (apiKey === '') throw new TypeError('Cannot create service client: the API key is empty')
  const { origin, pathname } = new URL(baseUrl)
  const root = origin + pathname.replace(/\/+$/, '')
  const timeouts = { ...TIMEOUTS, ...options.timeouts }
  const single = createHttpClient({ ...timeouts, proxies })
  const reusing = createHttpClient({ ...timeouts, proxies, reusesConnections: true })
  return { streamChat, createTask, task, models, prices, balance, callbackSecret, close }

  /** Streams one completion, sent at the first `next()`. While waiting for a delta, abort the signal to leave. */
  async function* streamChat(
    { model, messages, maxTokens }: CompletionRequest,
    { signal, retryRateLimited = true }: StreamOptions = {},
  ): AsyncGenerator<CompletionEvent, void> {
    const call: Call = {
      action: 'complete chat',
      path: '/chats/completions',
      body: JSON.stringify({ model, messages, max_tokens: maxTokens, stream: true }),
      headers: { accept: 'text/event-stream, application/json' },
      headersMs: timeouts.firstByteMs,
      isAlwaysThere: true,
      repeatsAfter: retryRateLimited ? REFUSED : [503],
      signal,
    }
    yield* readStream(await request(call), signal)
  }

  /** Creates a task, which is charged here. Never repeated: each request counts, and callers have a queue. */
  async function createTask({ kind, request: body }: MediaRequest, options: CreateOptions = {}) {
    const { idempotencyKey, callbackUrl, signal } = options
    const headers = {
      ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
      ...(callbackUrl !== undefined && { 'x-callback-url': callbackUrl }),
    }
    const call = { action: `create ${kind}`, path: `/${CREATION_PATHS[kind]}`, headers, signal }
    return { taskId: await ask({ ...call, body: JSON.stringify(body) }, read.readTaskId) }
  }

  async function task(taskId: number, { signal }: CallOptions = {}) {
    const call = { action: `read task ${taskId}`, path: `/task/${taskId}`, signal }
    try {
      return await ask({ ...call, reusesConnection: true }, read.readTask)
    } catch (error) {
      if (!hasCode(error, 'invalid_request') || error.status !== 404) throw error
      throw new ServiceError('task_not_found', error.message, error)
    }
  }

  async function models({ signal }: CallOptions = {}) {
    const call = { action: 'list models', path: '/chats/models', isAlwaysThere: true, signal }
    return await ask({ ...call, repeatsAfter: REFUSED }, read.readModels)
  }

  /** Reads the prices of tasks by label; undefined for a service that has no such endpoint. */
  async function prices({ signal }: CallOptions = {}) {
    const call = { action: 'list prices', path: '/prices', repeatsAfter: REFUSED, signal }
    return await ask(call, read.readPrices).catch((error) => {
      if (hasCode(error, 'invalid_request', 'unexpected_answer')) return undefined
      throw error
    })
  }

  async function balance({ signal }: CallOptions = {}) {
    const call = { action: 'read balance', path: '/balance', repeatsAfter: REFUSED, signal }
    const answer = await request(call)
    return {
      balanceMicroRub: await readAnswer(call, answer, read.readBalance),
      honoursIdempotencyKey: readHeader(answer.headers, 'accept-idempotency-key') === 'creation',
    }
  }

  async function callbackSecret({ signal }: CallOptions = {}) {
    const call = { action: 'read callback secret', path: '/callback/secret', signal }
    return await ask({ ...call, repeatsAfter: REFUSED }, read.readCallbackSecret)
  }

  async function close(): Promise<void> {
    await Promise.all([single.close(), reusing.close()])
  }

  async function ask<T>(call: Call, reader: (json: unknown) => T | undefined): Promise<T> {
    return await readAnswer(call, await request(call), reader)
  }

  /** Sends a request and returns its 2xx answer once it begins. The caller reads, drains or destroys the body. */
  function request(call: Call): Promise<Answer<OpenBody>> {
    const { signal, repeatsAfter = [] } = call
    let waitedMs = 0
    return retry(() => send(call), { clock, signal, delayAfter })

    function delayAfter(error: unknown, attempts: number): number | undefined {
      const isRefusal = hasCode(error, 'rate_limited', 'service_unavailable')
      const mayRepeat = isRefusal && repeatsAfter.some((status) => status === error.status)
      if (!mayRepeat || attempts >= ATTEMPTS_MAX) return undefined
      const delayMs = error.retryAfterMs ?? backoffMs(BACKOFF, attempts)
      waitedMs += delayMs
      return waitedMs > RETRY_WAIT_MS_MAX ? undefined : delayMs
    }
  }

  async function send(call: Call): Promise<Answer<OpenBody>> {
    const { body, signal, headersMs = timeouts.answerMs } = call
    await whenAllowed?.()
    const exchange = await (call.reusesConnection ? reusing : single).open({
      method: methodOf(call),
      url: root + call.path,
      headers: { authorization: `Bearer ${apiKey}`, accept: 'application/json', ...call.headers },
      body,
      headersMs,
      signal,
    })
    const answer = toAnswer(call, exchange)
    const { status } = answer
    if (status < 500) onAnswer?.()
    if (status >= 200 && status < 300) return answer
    const refusal = toAnswer(call, await readWholeAnswer(answer, REFUSAL_BYTES_MAX))
    signal?.throwIfAborted()
    // A remote service may quote the key it refuses.
    const json = parseJson(refusal.body.toString().replaceAll(apiKey, '[key]'))
    const { detail: given } = toJsonObject(json)
    const words = typeof given === 'string' ? given : describeProblems(given)
    const detail = words?.slice(0, DETAIL_CHARS_MAX) || undefined
    const message = `Cannot ${call.action}: the service answered ${status}`
    const facts = { status, detail, retryAfterMs: readRetryAfterMs(answer.headers) }
    throw new ServiceError(codeOf(call, json, facts), message, facts)
  }
}

function codeOf(
  call: Call,
  json: unknown,
  { status, detail }: { status: number; detail: string | undefined },
): ServiceErrorCode {
  const { code: own, error } = toJsonObject(json)
  // Services that answer as OpenAI does have the code in an `error`.
  const code = own ?? toJsonObject(error).code
  if (status === 401 || status === 403) return 'unauthorized'
  if (status === 402) return 'insufficient_balance'
  if (status === 429) return 'rate_limited'
  if (code === CONTEXT_LENGTH_EXCEEDED) return code
  const isMissing = [404, 405].includes(status) && WORDS_ABOUT_PATHS.includes(detail)
  if (call.isAlwaysThere && isMissing) return 'not_this_service'
  if (status < 400) return 'unexpected_answer'
  if (status < 500) return 'invalid_request'
  if (status === 503 && code === MODEL_MISCONFIGURED) return code
  if (status === 503 || methodOf(call) === 'GET') return 'service_unavailable'
  // A gateway in between answers a 502 that is not JSON, a 504 and the like: the POST may have arrived.
  return status === 502 && isJsonObject(json) ? 'provider_rejected' : 'outcome_unknown'
}

async function readAnswer<T>(
  call: Call,
  answer: Answer<OpenBody>,
  reader: (json: unknown) => T | undefined,
): Promise<T> {
  const { status, body } = toAnswer(call, await readWholeAnswer(answer, ANSWER_BYTES_MAX))
  const value = reader(parseJson(body.toString()))
  if (value !== undefined) return value
  const message = `Cannot ${call.action}: the answer has an unknown shape`
  throw new ServiceError('unexpected_answer', message, { status })
}

function toAnswer<Body>(call: Call, exchange: Exchange<Body>): Answer<Body> {
  if (exchange.outcome === 'answered') return exchange
  const { outcome, cause } = exchange
  call.signal?.throwIfAborted()
  if (cause instanceof errors.InvalidArgumentError) throw cause // A mistake of the program.
  const fail = (code: ServiceErrorCode, state: string) =>
    new ServiceError(code, `Cannot ${call.action}: ${state}`, { cause })
  if (outcome === 'unsent') throw fail('service_unavailable', 'the service was not reached')
  if (cause instanceof AnswerTooLongError) throw fail('unexpected_answer', 'the answer is too long')
  const code = methodOf(call) === 'GET' ? 'service_unavailable' : 'outcome_unknown'
  throw fail(code, 'no whole answer came')
}

function methodOf({ body }: Call): 'GET' | 'POST' {
  return body === undefined ? 'GET' : 'POST'
}

async function* readStream(
  { body }: Answer<OpenBody>,
  signal: AbortSignal | undefined,
): AsyncGenerator<CompletionEvent, void> {
  let isWhole = false
  try {
    for await (const event of readCompletion(body.iterator({ destroyOnReturn: false }))) {
      signal?.throwIfAborted()
      isWhole = event.type === 'finish'
      yield event
    }
  } catch (error) {
    signal?.throwIfAborted()
    throw error
  } finally {
    const limits = { limit: Number.MAX_SAFE_INTEGER, signal: AbortSignal.timeout(DRAIN_MS_MAX) }
    // Once the answer is whole, later failures change nothing.
    if (isWhole) body.dump(limits).catch(() => {})
    else body.destroy()
  }
}
