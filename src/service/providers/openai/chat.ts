import { Agent, type Dispatcher } from 'undici'
import type { ChatProvider, ProviderChatRequest, ProviderFinish, TakeDelta } from '../provider.ts'
import { authorize, type ProviderAccess, toRoot } from '../provider-http.ts'
import { type AnswerTimeouts, OpenAiAnswer } from './answer.ts'

const TIMEOUT_DEFAULTS = { connectMs: 10_000, firstByteMs: 120_000, silenceMs: 60_000 } as const

/** The root of the API includes `/v1`; `/chat/completions` is added. */
export interface OpenAiChatOptions extends ProviderAccess {
  /** The model's name at the provider. */
  model: string
  timeouts?: Partial<AnswerTimeouts> & {
    /** Until the connection stands. Without effect when a `dispatcher` is given: it connects by its own rules. */
    connectMs?: number
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
  const { connectMs, ...answerTimeouts } = { ...TIMEOUT_DEFAULTS, ...timeouts }
  const { origin, pathname, search } = new URL(`${toRoot(baseUrl)}/chat/completions`)
  const agent = dispatcher ?? new Agent({ connect: { timeout: connectMs } })
  const headers = {
    'content-type': 'application/json',
    accept: 'text/event-stream',
    ...authorize(apiKey),
  }
  return { stream }

  async function stream(
    { messages, maxTokens }: ProviderChatRequest,
    signal: AbortSignal,
    take: TakeDelta,
  ): Promise<ProviderFinish> {
    signal.throwIfAborted()
    const answer = new OpenAiAnswer({ take, timeouts: answerTimeouts })
    const abort = () => answer.abort(signal.reason)
    signal.addEventListener('abort', abort, { once: true })
    try {
      const request = {
        origin,
        path: pathname + search,
        method: 'POST',
        headers,
        // As bytes it is outside of the heap, where it stays until the answer has ended.
        body: Buffer.from(
          JSON.stringify({
            model,
            messages,
            max_tokens: maxTokens,
            stream: true,
            stream_options: { include_usage: true },
          }),
        ),
        // One clock decides, that of the answer: undici's own would cut a slow model or a slow reader.
        headersTimeout: 0,
        bodyTimeout: 0,
      }
      agent.dispatch(request, answer)
      return await answer.finish
    } finally {
      signal.removeEventListener('abort', abort)
    }
  }
}
