import { Agent, type Dispatcher, ProxyAgent } from 'undici'
import type { PromptMessage } from '../../../contract/chat.ts'
import type { JsonObject } from '../../../http/json.ts'
import { inSpan, type Span, withTraceparent } from '../../../tracing/span.ts'
import type { ChatProvider, ProviderChatRequest, ProviderFinish, TakeDelta } from '../provider.ts'
import { authorize, type ProviderAccess, toRoot } from '../provider-http.ts'
import { type AnswerTimeouts, OpenAiAnswer } from './answer.ts'

const TIMEOUT_DEFAULTS = { connectMs: 10_000, firstByteMs: 120_000, silenceMs: 60_000 } as const

/** What a service calls the most tokens that an answer may have. OpenAI's newest models refuse the first. */
export type OutputLimit = 'max_tokens' | 'max_completion_tokens'

/** The root of the API includes `/v1`; `/chat/completions` is added to its path, and its query stays. */
export interface OpenAiChatOptions extends ProviderAccess {
  /** The model's name at the provider. */
  model: string
  outputLimit?: OutputLimit | undefined
  /** Of every request, besides ours; one of the same name, in small letters, stands in its place. */
  headers?: Readonly<Record<string, string>> | undefined
  /** Fields of every request's body, besides ours. */
  body?: Readonly<JsonObject> | undefined
  timeouts?: Partial<AnswerTimeouts> & {
    /** Until the connection stands. Without effect when a `dispatcher` is given: it connects by its own rules. */
    connectMs?: number
  }
  /** URL of an HTTP proxy, user and password included. Without effect when a `dispatcher` is given. */
  proxy?: string | undefined
  /** Keys that must never be told, besides `apiKey`. */
  secrets?: readonly string[] | undefined
  dispatcher?: Dispatcher
}

/**
 * Answers by any service with OpenAI's `POST /chat/completions`, streamed.
 *
 * `rejected` is a request that would be refused again. Everything else that happens before the first delta is
 * `unavailable`, also a wrong key or model name there (401, 402, 403, 404) and its limits (408, 409, 425,
 * 429): the caller cannot mend it. After the first delta every failure is `broken`. An aborted stream ends
 * at once, its connection closed, and throws the signal's reason. What the provider wrote about a failure
 * is in the error's `failure` alone.
 */
export function createOpenAiChatProvider(options: OpenAiChatOptions): ChatProvider {
  const { baseUrl, apiKey = '', model, outputLimit = 'max_tokens', secrets = [] } = options
  const { connectMs, ...timeouts } = { ...TIMEOUT_DEFAULTS, ...options.timeouts }
  const { origin, pathname, search, host } = new URL(baseUrl)
  const path = `${toRoot(pathname)}/chat/completions${search}`
  const agent = options.dispatcher ?? openAgent(connectMs, options.proxy)
  const headers = {
    'content-type': 'application/json',
    accept: 'text/event-stream',
    ...authorize(options.apiKey),
    ...options.headers,
  }
  const attributes = { 'server.address': host, 'gen_ai.request.model': model }
  return { stream: (...asked) => inSpan(toAttempt(), () => stream(...asked)) }

  function toAttempt(): Span {
    return { name: 'upstream attempt', kind: 'client', attributes: { ...attributes } }
  }

  async function stream(
    { messages, maxTokens, parameters }: ProviderChatRequest,
    signal: AbortSignal,
    take: TakeDelta,
  ): Promise<ProviderFinish> {
    signal.throwIfAborted()
    const answer = new OpenAiAnswer({
      take,
      timeouts,
      unspeakable: () => ({
        secrets: [apiKey, ...secrets],
        texts: [...messages.flatMap(textsOf), ...[parameters?.stop ?? []].flat()],
      }),
    })
    const abort = () => answer.abort(signal.reason)
    signal.addEventListener('abort', abort, { once: true })
    try {
      const request = {
        origin,
        path,
        method: 'POST',
        headers: withTraceparent(headers),
        // As bytes it is outside of the heap, where it stays until the answer has ended.
        body: Buffer.from(
          JSON.stringify({
            model,
            messages,
            [outputLimit]: maxTokens,
            ...parameters,
            stream: true,
            stream_options: { include_usage: true },
            ...options.body,
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

function textsOf({ content, name = '' }: PromptMessage): string[] {
  return [content, name]
}

function openAgent(connectMs: number, proxy: string | undefined): Dispatcher {
  if (proxy === undefined) return new Agent({ connect: { timeout: connectMs } })
  return new ProxyAgent({ uri: proxy, connectTimeout: connectMs })
}
