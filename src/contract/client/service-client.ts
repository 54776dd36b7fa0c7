import { readHeader } from '../../platform/http/headers.ts'
import type { Proxies } from '../../platform/http/proxies.ts'
import { type Clock, systemClock } from '../../platform/time/clock.ts'
import type { ChatMessage, ChatRequest } from '../chat.ts'
import { CREATION_PATHS, type MediaRequest } from '../media.ts'
import { type CompletionEvent, readCompletion } from './completion-stream.ts'
import { InvalidRequestError, TaskNotFoundError, UnexpectedAnswerError } from './errors.ts'
import {
  type BegunAnswer,
  type Call,
  createServiceHttp,
  DEFAULT_TIMEOUTS,
  drain,
  type ServiceTimeouts,
} from './http.ts'
import {
  type ModelInfo,
  readBalance,
  readCallbackSecret,
  readCompletionAnswer,
  readModels,
  readPrices,
  readTask,
  readTaskId,
  type TaskState,
} from './read-answers.ts'
import { retryRefused } from './retry.ts'

export interface ServiceClientOptions {
  /** Ends in `/api/v1`. */
  baseUrl: string
  apiKey: string
  timeouts?: Partial<ServiceTimeouts>
  proxies?: Proxies | undefined
  /** Waited for before each request; what it throws is what the call throws. By default nothing is. */
  whenAllowed?: () => Promise<void>
  onAnswer?: () => void
  clock?: Pick<Clock, 'sleep'>
}

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
  /** False for a caller with a queue of its own: a 429 is thrown at once. A 503 is waited out all the same. */
  retryRateLimited?: boolean | undefined
}

interface CreateOptions extends CallOptions {
  /** The service creates at most one task for a key, if it honours keys at all (see `balance()`). */
  idempotencyKey?: string | undefined
  /** The address that the service calls at the task's end; clips have no callbacks. */
  callbackUrl?: string | undefined
}

/**
 * The service seen from outside.
 *
 * Every call throws a {@link ServiceError}, or the reason of its own signal. A 429 or 503 answer is
 * waited out and repeated within a small bound (`retry.ts`), unless it is a task's; nothing else is.
 */
export interface ServiceClient {
  /**
   * One completion as it is written. The request goes out with the first `next()`.
   *
   * Leaving the loop early closes the connection. To stop while waiting for a delta, abort the signal.
   *
   * @yields Any number of `thought`s and `delta`s, none empty, then exactly one `finish`.
   * @throws {StreamBrokenError} If the stream breaks after it began; it holds the text so far.
   */
  streamChat(
    request: CompletionRequest,
    options?: StreamOptions,
  ): AsyncGenerator<CompletionEvent, void>
  /**
   * Creates a task; the price is charged here. Nothing is repeated: each request counts, and those who
   * wait for the service have a queue.
   *
   * @throws {OutcomeUnknownError} If there may be a task although no answer came.
   */
  createTask(media: MediaRequest, options?: CreateOptions): Promise<{ taskId: number }>
  /**
   * Reads a task once. Nothing is repeated, not even after a 429 or 503: the poller keeps the time.
   *
   * @throws {TaskNotFoundError} If the account has no such task.
   * @throws {RateLimitedError} If this task, or the account, was polled too often: poll slower.
   */
  task(taskId: number, options?: CallOptions): Promise<TaskState>
  models(options?: CallOptions): Promise<ModelInfo[]>
  /**
   * Reads the prices of tasks, by label. The interface has no such endpoint.
   *
   * @returns Undefined for a service that does not have it either.
   */
  prices(options?: CallOptions): Promise<ReadonlyMap<string, bigint> | undefined>
  balance(options?: CallOptions): Promise<{
    balanceMicroRub: bigint
    honoursIdempotencyKey: boolean
  }>
  callbackSecret(options?: CallOptions): Promise<string>
  close(): Promise<void>
}

/**
 * Creates the client of one service and one key. Nothing is sent before the first call.
 *
 * @throws {TypeError} If the base URL is none.
 */
export function createServiceClient({
  baseUrl,
  apiKey,
  timeouts,
  proxies,
  whenAllowed = async () => {},
  onAnswer = () => {},
  clock = systemClock,
}: ServiceClientOptions): ServiceClient {
  const bounds = { ...DEFAULT_TIMEOUTS, ...timeouts }
  const http = createServiceHttp({
    baseUrl,
    apiKey,
    timeouts: bounds,
    proxies,
    whenAllowed,
    onAnswer,
  })

  return {
    streamChat,
    createTask,
    task,
    models,
    prices,
    balance,
    callbackSecret,
    close: http.close,
  }

  async function* streamChat(
    request: CompletionRequest,
    { signal, retryRateLimited }: StreamOptions = {},
  ): AsyncGenerator<CompletionEvent, void> {
    const call = toChatCall(request, signal)
    const answer = await retryRefused(() => http.open(call), { clock, signal, retryRateLimited })
    if (readHeader(answer.headers, 'content-type')?.startsWith('application/json')) {
      yield* readUnstreamed(call, answer)
    } else {
      yield* readStreamed(call, answer)
    }
  }

  async function* readStreamed(
    { signal }: Call,
    { body }: BegunAnswer,
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

  /** A service that does not stream answers as if in plain mode: one delta, one finish. */
  async function* readUnstreamed(
    call: Call,
    answer: BegunAnswer,
  ): AsyncGenerator<CompletionEvent, void> {
    const { content, ...finish } = await http.read(call, answer, readCompletionAnswer)
    if (content !== '') yield { type: 'delta', text: content }
    yield { type: 'finish', ...finish }
  }

  async function createTask(
    { kind, request }: MediaRequest,
    { idempotencyKey, callbackUrl, signal }: CreateOptions = {},
  ) {
    const call: Call = {
      action: `create ${kind}`,
      method: 'POST',
      path: `/${CREATION_PATHS[kind]}`,
      body: JSON.stringify(request),
      headers: {
        ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
        ...(callbackUrl !== undefined && { 'x-callback-url': callbackUrl }),
      },
      firstByteMs: bounds.answerMs,
      signal,
    }
    return { taskId: (await http.ask(call, readTaskId)).value }
  }

  async function task(taskId: number, options?: CallOptions): Promise<TaskState> {
    const read = toReadCall(`read task ${taskId}`, `/task/${taskId}`, options)
    const call: Call = { ...read, reusesConnection: true }
    try {
      return (await http.ask(call, readTask)).value
    } catch (error) {
      if (!(error instanceof InvalidRequestError) || error.status !== 404) throw error
      throw new TaskNotFoundError(error.message, { status: error.status, detail: error.detail })
    }
  }

  async function models(options?: CallOptions): Promise<ModelInfo[]> {
    const read = toReadCall('list models', '/chats/models', options)
    const call: Call = { ...read, isAlwaysThere: true }
    return (await fetchAnswer(call, readModels)).value
  }

  async function prices(options?: CallOptions) {
    try {
      const call = toReadCall('list prices', '/prices', options)
      return (await fetchAnswer(call, readPrices)).value
    } catch (error) {
      // A service without the endpoint refuses it, or answers as it does for unknown paths.
      const isMissing =
        error instanceof InvalidRequestError || error instanceof UnexpectedAnswerError
      if (isMissing) return undefined
      throw error
    }
  }

  async function balance(options?: CallOptions) {
    const call = toReadCall('read balance', '/balance', options)
    const { value, headers } = await fetchAnswer(call, readBalance)
    return {
      balanceMicroRub: value,
      honoursIdempotencyKey: readHeader(headers, 'accept-idempotency-key') === 'creation',
    }
  }

  async function callbackSecret(options?: CallOptions): Promise<string> {
    const call = toReadCall('read callback secret', '/callback/secret', options)
    return (await fetchAnswer(call, readCallbackSecret)).value
  }

  function fetchAnswer<T>(call: Call, reader: (json: unknown) => T | undefined) {
    return retryRefused(() => http.ask(call, reader), { clock, signal: call.signal })
  }

  function toReadCall(action: string, path: string, options?: CallOptions): Call {
    return { action, method: 'GET', path, firstByteMs: bounds.answerMs, signal: options?.signal }
  }

  function toChatCall(
    { model, messages, maxTokens }: CompletionRequest,
    signal: AbortSignal | undefined,
  ): Call {
    const body: Omit<ChatRequest, 'messages'> & Pick<CompletionRequest, 'messages'> = {
      model,
      messages,
      ...(maxTokens !== undefined && { max_tokens: maxTokens }),
      stream: true,
    }
    return {
      action: 'complete chat',
      method: 'POST',
      path: '/chats/completions',
      body: JSON.stringify(body),
      headers: { accept: 'text/event-stream, application/json' },
      firstByteMs: bounds.firstByteMs,
      isAlwaysThere: true,
      signal,
    }
  }
}
