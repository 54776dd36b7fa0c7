/**
 * The service seen from outside: one function per endpoint, one `ServiceError` for every failure.
 *
 * Every call throws a `ServiceError`, or the reason of its own signal. Answers are read tolerantly: a remote
 * service may differ wherever the interface document shows no shape.
 */
import type { Answer, OpenBody } from '../../platform/http/exchange.ts'
import { readHeader } from '../../platform/http/headers.ts'
import type { ChatMessage } from '../chat.ts'
import { CREATION_PATHS, type MediaRequest } from '../tasks.ts'
import { type CompletionEvent, readCompletion } from './completion-stream.ts'
import {
  readBalance,
  readCallbackSecret,
  readCompletionAnswer,
  readModels,
  readPrices,
  readTask,
  readTaskId,
} from './read-answers.ts'
import { type Call, type ServiceClientOptions, ServiceHttp } from './request.ts'
import { hasCode, ServiceError } from './service-error.ts'

/** How long the rest of an already whole stream is read, so that the service sees no reader leave. */
const DRAIN_MS_MAX = 5_000

export interface CompletionRequest {
  model: string
  /** The whole history; the service remembers nothing. */
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

interface CreateOptions extends CallOptions {
  /** The service creates at most one task for a key, if it honours keys at all (see `balance()`). */
  idempotencyKey?: string | undefined
  /** The address that the service calls at the task's end; clips have no callbacks. */
  callbackUrl?: string | undefined
}

export type ServiceClient = ReturnType<typeof createServiceClient>

/**
 * Creates the client of one service and one key. It sends nothing before the first call.
 *
 * @throws {TypeError} If the base URL is invalid or the key is empty.
 */
export function createServiceClient(options: ServiceClientOptions) {
  const http = new ServiceHttp(options)
  const close = () => http.close()
  return { streamChat, createTask, task, models, prices, balance, callbackSecret, close }

  /**
   * Streams one completion. The request is sent with the first `next()`.
   *
   * Leaving the loop early closes the connection. To stop while waiting for a delta, abort the signal.
   *
   * @yields Any number of `thought`s and `delta`s, none empty, then exactly one `finish`.
   * @throws {ServiceError} `stream_broken` if the stream breaks after it began.
   */
  async function* streamChat(
    { model, messages, maxTokens }: CompletionRequest,
    { signal, retryRateLimited = true }: StreamOptions = {},
  ): AsyncGenerator<CompletionEvent, void> {
    const call: Call = {
      action: 'complete chat',
      method: 'POST',
      path: '/chats/completions',
      body: JSON.stringify({ model, messages, max_tokens: maxTokens, stream: true }),
      headers: { accept: 'text/event-stream, application/json' },
      isChat: true,
      isAlwaysThere: true,
      repeatsAfter: retryRateLimited ? REFUSED : ['service_unavailable'],
      signal,
    }
    const answer = await http.request(call)
    if (!readHeader(answer.headers, 'content-type')?.startsWith('application/json')) {
      return yield* readStream(answer, signal)
    }
    // A service that does not stream answers as in plain mode.
    const { content, ...finish } = await http.read(call, answer, readCompletionAnswer)
    if (content !== '') yield { type: 'delta', text: content }
    yield { type: 'finish', ...finish }
  }

  /**
   * Creates a task, which is charged here. Never repeated: each request counts, and callers have a queue.
   *
   * @throws {ServiceError} `outcome_unknown` if there may be a task although no answer came.
   */
  async function createTask(
    { kind, request }: MediaRequest,
    { idempotencyKey, callbackUrl, signal }: CreateOptions = {},
  ): Promise<{ taskId: number }> {
    const headers = {
      ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
      ...(callbackUrl !== undefined && { 'x-callback-url': callbackUrl }),
    }
    const path = `/${CREATION_PATHS[kind]}`
    const body = JSON.stringify(request)
    const call: Call = { action: `create ${kind}`, method: 'POST', path, body, headers, signal }
    return { taskId: await ask(call, readTaskId) }
  }

  /**
   * Reads a task once. Never repeated: the poller keeps the time.
   *
   * @throws {ServiceError} `task_not_found`, or `rate_limited` if the task or the account was polled too often.
   */
  async function task(taskId: number, { signal }: CallOptions = {}) {
    const read = toRead(`read task ${taskId}`, `/task/${taskId}`, signal)
    try {
      return await ask({ ...read, repeatsAfter: [], reusesConnection: true }, readTask)
    } catch (error) {
      if (!hasCode(error, 'invalid_request') || error.status !== 404) throw error
      throw new ServiceError('task_not_found', error.message, error)
    }
  }

  async function models({ signal }: CallOptions = {}) {
    const read = toRead('list models', '/chats/models', signal)
    return await ask({ ...read, isAlwaysThere: true }, readModels)
  }

  /**
   * Reads the prices of tasks by label.
   *
   * @returns Undefined for a service without this endpoint, which the interface document does not have.
   */
  async function prices({ signal }: CallOptions = {}) {
    try {
      return await ask(toRead('list prices', '/prices', signal), readPrices)
    } catch (error) {
      if (hasCode(error, 'invalid_request', 'unexpected_answer')) return undefined
      throw error
    }
  }

  async function balance({ signal }: CallOptions = {}) {
    const call = toRead('read balance', '/balance', signal)
    const answer = await http.request(call)
    return {
      balanceMicroRub: await http.read(call, answer, readBalance),
      honoursIdempotencyKey: readHeader(answer.headers, 'accept-idempotency-key') === 'creation',
    }
  }

  async function callbackSecret({ signal }: CallOptions = {}) {
    return await ask(toRead('read callback secret', '/callback/secret', signal), readCallbackSecret)
  }

  async function ask<T>(call: Call, reader: (json: unknown) => T | undefined): Promise<T> {
    return await http.read(call, await http.request(call), reader)
  }
}

const REFUSED = ['rate_limited', 'service_unavailable'] as const

function toRead(action: string, path: string, signal: AbortSignal | undefined): Call {
  return { action, method: 'GET', path, repeatsAfter: REFUSED, signal }
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
    if (isWhole) drain(body)
    else body.destroy()
  }
}

/** Reads a body to its end without waiting for it. The answer is whole: later failures change nothing. */
function drain(body: OpenBody): void {
  const limits = { limit: Number.MAX_SAFE_INTEGER, signal: AbortSignal.timeout(DRAIN_MS_MAX) }
  body.dump(limits).catch(() => {})
}
