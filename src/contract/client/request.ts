import { errors } from 'undici'
import {
  type Answer,
  AnswerTooLongError,
  type Exchange,
  type OpenBody,
  readWholeAnswer,
} from '../../platform/http/exchange.ts'
import { readRetryAfterMs } from '../../platform/http/headers.ts'
import { createHttpClient } from '../../platform/http/http-client.ts'
import { parseJson } from '../../platform/http/json.ts'
import type { Proxies } from '../../platform/http/proxies.ts'
import { backoffMs } from '../../platform/time/backoff.ts'
import { type Clock, systemClock } from '../../platform/time/clock.ts'
import { retry } from '../../platform/time/retry.ts'
import { hasCode, ServiceError, type ServiceErrorCode, toRefusal } from './service-error.ts'

/** Far above a model's longest text. */
const ANSWER_BYTES_MAX = 32 * 1024 * 1024
const REFUSAL_BYTES_MAX = 64 * 1024
/** Attempts of one call, the first included. */
const ATTEMPTS_MAX = 3
/** Longest that one call waits between its attempts, all waits together. A longer wait belongs to the caller. */
const RETRY_WAIT_MS_MAX = 10_000
const BACKOFF = { firstMs: 500, maxMs: 1000 }

/** Timeouts, exact to about a second (the resolution of undici's timers). A whole stream has none. */
const TIMEOUTS = {
  connectMs: 10_000,
  /** To the first byte of a chat's answer: the model's thinking, in plain mode the whole answer. */
  firstByteMs: 300_000,
  /** Between two pieces of a body. A keep-alive comment counts as a piece. */
  silenceMs: 120_000,
  /** To the first byte of any other answer. */
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

/** One HTTP request below the base URL. */
export interface Call {
  action: string
  method: 'GET' | 'POST'
  path: string
  body?: string
  headers?: Record<string, string>
  isChat?: boolean
  isAlwaysThere?: boolean
  /** True for frequent requests that do no harm if they are repeated: the server may close a kept connection. */
  reusesConnection?: boolean
  /** Repeats the call after a 429 (`rate_limited`) or an answered 503 (`service_unavailable`), within bounds. */
  repeatsAfter?: readonly ServiceErrorCode[]
  signal?: AbortSignal | undefined
}

/** HTTP to one service with one key. Both methods throw a {@link ServiceError} or the signal's reason. */
export class ServiceHttp {
  readonly #options: ServiceClientOptions
  readonly #timeouts: typeof TIMEOUTS
  readonly #root: string
  readonly #single: ReturnType<typeof createHttpClient>
  readonly #reusing: ReturnType<typeof createHttpClient>

  constructor(options: ServiceClientOptions) {
    const { baseUrl, apiKey, proxies } = options
    if (apiKey === '') throw new TypeError('Cannot create service client: the API key is empty')
    const { origin, pathname } = new URL(baseUrl)
    this.#options = options
    this.#timeouts = { ...TIMEOUTS, ...options.timeouts }
    this.#root = origin + pathname.replace(/\/+$/, '')
    this.#single = createHttpClient({ ...this.#timeouts, proxies })
    this.#reusing = createHttpClient({ ...this.#timeouts, proxies, reusesConnections: true })
  }

  /** Sends a request and returns its 2xx answer once it begins. The caller reads, drains or destroys the body. */
  request(call: Call): Promise<Answer<OpenBody>> {
    const { signal, repeatsAfter = [] } = call
    const { clock = systemClock } = this.#options
    let waitedMs = 0
    return retry(() => this.#send(call), { clock, signal, delayAfter })

    /** These answers come before anything is charged; a repeat after another failure could charge twice. */
    function delayAfter(error: unknown, attempts: number): number | undefined {
      if (!hasCode(error, ...repeatsAfter) || attempts >= ATTEMPTS_MAX) return undefined
      if (error.status !== 429 && error.status !== 503) return undefined
      const delayMs = error.retryAfterMs ?? backoffMs(BACKOFF, attempts)
      waitedMs += delayMs
      return waitedMs > RETRY_WAIT_MS_MAX ? undefined : delayMs
    }
  }

  /**
   * Reads an answer as a whole.
   *
   * @param reader Returns the meaning of the JSON, undefined if it does not understand it.
   */
  async read<T>(
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

  async close(): Promise<void> {
    await Promise.all([this.#single.close(), this.#reusing.close()])
  }

  async #send(call: Call): Promise<Answer<OpenBody>> {
    const { apiKey, whenAllowed, onAnswer } = this.#options
    const { method, body, signal } = call
    await whenAllowed?.()
    const http = call.reusesConnection ? this.#reusing : this.#single
    const exchange = await http.open({
      method,
      url: this.#root + call.path,
      headers: { authorization: `Bearer ${apiKey}`, accept: 'application/json', ...call.headers },
      body,
      headersMs: call.isChat ? this.#timeouts.firstByteMs : this.#timeouts.answerMs,
      signal,
    })
    const answer = toAnswer(call, exchange)
    const { status } = answer
    if (status < 500) onAnswer?.()
    if (status >= 200 && status < 300) return answer
    const refusal = toAnswer(call, await readWholeAnswer(answer, REFUSAL_BYTES_MAX))
    signal?.throwIfAborted()
    // A remote service may quote the key it refuses.
    const text = refusal.body.toString().replaceAll(apiKey, '[key]')
    throw toRefusal(call, { status, text, retryAfterMs: readRetryAfterMs(answer.headers) })
  }
}

function toAnswer<Body>({ action, method, signal }: Call, exchange: Exchange<Body>): Answer<Body> {
  if (exchange.outcome === 'answered') return exchange
  const { outcome, cause } = exchange
  signal?.throwIfAborted()
  if (cause instanceof errors.InvalidArgumentError) throw cause // A mistake of the program.
  const fail = (code: ServiceErrorCode, state: string) =>
    new ServiceError(code, `Cannot ${action}: ${state}`, { cause })
  if (outcome === 'unsent') throw fail('service_unavailable', 'the service was not reached')
  if (cause instanceof AnswerTooLongError) throw fail('unexpected_answer', 'the answer is too long')
  const code = method === 'GET' ? 'service_unavailable' : 'outcome_unknown'
  throw fail(code, 'no whole answer came')
}
