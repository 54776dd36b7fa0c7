import { Agent, type Dispatcher, request } from 'undici'
import { STREAM_DONE } from '../../contract/chat.ts'
import { createEventReader } from './event-reader.ts'
import { parseOpenAiChunk } from './openai-chunk.ts'
import { createPatience } from './patience.ts'
import {
  type ChatProvider,
  type ProviderChatEvent,
  type ProviderChatRequest,
  ProviderError,
  type ProviderUsage,
} from './provider.ts'
import { isRejection } from './rejection.ts'

/** After `finish_reason` only usage and the end are left; no longer than this is waited for them. */
const TAIL_MS_MAX = 10_000

/** How long a connection may stay open after `[DONE]`. */
const END_MS_MAX = 1000

const TIMEOUT_DEFAULTS = { connectMs: 10_000, firstByteMs: 120_000, silenceMs: 60_000 } as const

export interface OpenAiChatOptions {
  /** Root of the API, `/v1` included; `/chat/completions` is added. */
  baseUrl: string
  apiKey?: string
  /** The model's name at the provider. */
  model: string
  timeouts?: {
    /** Until the connection stands. Without effect when a `dispatcher` is given: it connects by its own rules. */
    connectMs?: number
    /** From the request to its first event, connecting included. Comments that keep a line open are no events. */
    firstByteMs?: number
    /** Between one event and the next, while the reader is waiting for it. */
    silenceMs?: number
  }
  dispatcher?: Dispatcher
}

/**
 * Answers by any service with OpenAI's `POST /chat/completions`, streamed.
 *
 * `rejected` is a request that would be refused again. Everything else that happens before the first delta is
 * `unavailable`, also a wrong key or model name there (401, 402, 403, 404) and its limits (408, 409, 425,
 * 429): the caller cannot mend it. After the first delta every failure is `broken`. An aborted stream ends
 * at once, its connection closed, and throws the signal's reason. What the provider wrote about a failure
 * is never repeated.
 */
export function createOpenAiChatProvider({
  baseUrl,
  apiKey,
  model,
  timeouts,
  dispatcher,
}: OpenAiChatOptions): ChatProvider {
  const { connectMs, firstByteMs, silenceMs } = { ...TIMEOUT_DEFAULTS, ...timeouts }
  const url = `${baseUrl.replace(/\/+$/, '')}/chat/completions`
  const agent = dispatcher ?? new Agent({ connect: { timeout: connectMs } })
  return { stream }

  // One generator from bytes to events: each further one takes about 1 µs a delta.
  async function* stream(
    chatRequest: ProviderChatRequest,
    signal: AbortSignal,
  ): AsyncGenerator<ProviderChatEvent, void> {
    signal.throwIfAborted()
    const connection = new AbortController()
    const abort = () => connection.abort(signal.reason)
    signal.addEventListener('abort', abort, { once: true })
    const patience = createPatience(connection)
    const reader = createEventReader()
    let bytes: AsyncIterator<Uint8Array> | undefined
    let started = false
    let done = false
    let finishReason: string | undefined
    let usage: ProviderUsage | undefined
    try {
      patience.begin(firstByteMs)
      bytes = await openBytes(chatRequest, connection.signal)
      while (!done && !reader.isOverfull()) {
        let piece: IteratorResult<Uint8Array>
        try {
          piece = await bytes.next()
        } catch (error) {
          if (finishReason === undefined) throw error
          break // Everything was said, so a connection that fails is only an end.
        }
        if (piece.done === true) break
        const events = reader.read(piece.value)
        if (events.length === 0) continue
        patience.end()
        for (const data of events) {
          if (data === STREAM_DONE) {
            done = true
            finishReason ??= 'stop'
            break
          }
          const chunk = parseOpenAiChunk(data)
          if (chunk.failure !== undefined) {
            throw new RefusedError('an error event', chunk.failure === 'rejected')
          }
          if (chunk.text !== '') {
            signal.throwIfAborted()
            started = true
            yield { type: 'delta', text: chunk.text }
          }
          finishReason ??= chunk.finishReason
          // Usage comes once after finish_reason, or in every chunk as a running total: the last is the true one.
          usage = chunk.usage ?? usage
        }
        patience.begin(finishReason === undefined ? silenceMs : Math.min(silenceMs, TAIL_MS_MAX))
      }
      patience.end()
      if (finishReason === undefined) throw new Error('Cannot read completion: it ended unfinished')
      signal.throwIfAborted()
      yield { type: 'finish', finishReason, ...(usage !== undefined && { usage }) }
    } catch (error) {
      signal.throwIfAborted()
      throw toProviderError(error, started)
    } finally {
      signal.removeEventListener('abort', abort)
      patience.stop()
      if (done && bytes !== undefined) letEnd(bytes, connection)
      else connection.abort()
    }
  }

  /** Sends the request. @returns The body of the answer, piece by piece. */
  async function openBytes(
    { messages, maxTokens }: ProviderChatRequest,
    signal: AbortSignal,
  ): Promise<AsyncIterator<Uint8Array>> {
    const response = await request(url, {
      method: 'POST',
      dispatcher: agent,
      signal,
      // One clock decides, that of the patience: undici's own would cut a slow model or a slow reader.
      headersTimeout: 0,
      bodyTimeout: 0,
      headers: {
        'content-type': 'application/json',
        accept: 'text/event-stream',
        ...(apiKey !== undefined && { authorization: `Bearer ${apiKey}` }),
      },
      body: JSON.stringify({
        model,
        messages,
        max_tokens: maxTokens,
        stream: true,
        stream_options: { include_usage: true },
      }),
    })
    // Who reads the body hears its errors; this is for one that nobody reads any more.
    response.body.on('error', () => {})
    if (response.statusCode !== 200) {
      response.body.destroy()
      throw new RefusedError(`${response.statusCode}`, isRejection(response.statusCode))
    }
    return response.body[Symbol.asyncIterator]()
  }
}

/**
 * Lets an answer that is whole end by itself, so that the provider sees no reader leave and the connection
 * serves again. Nobody waits for it.
 */
function letEnd(bytes: AsyncIterator<Uint8Array>, connection: AbortController): void {
  const cut = () => connection.abort()
  const timer = setTimeout(cut, END_MS_MAX).unref()
  // Whether it ends, fails or goes on after [DONE]: the reader has everything.
  void bytes
    .next()
    .then(({ done }) => done || cut(), cut)
    .finally(() => clearTimeout(timer))
}

function toProviderError(error: unknown, started: boolean): ProviderError {
  if (error instanceof ProviderError) return error
  if (started) {
    return new ProviderError('broken', 'The model broke off its answer.', { cause: error })
  }
  if (error instanceof RefusedError && error.rejected) {
    return new ProviderError('rejected', 'The model refused the request.', { cause: error })
  }
  return new ProviderError('unavailable', 'The model is not available now.', { cause: error })
}

/** The provider said no, by a status or by an event. What else it said stays with it. */
class RefusedError extends Error {
  override readonly name = 'RefusedError'
  readonly rejected: boolean

  constructor(how: string, rejected: boolean) {
    super(`Cannot read completion: the provider answered ${how}`)
    this.rejected = rejected
  }
}
