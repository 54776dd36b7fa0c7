import { Agent, type Dispatcher } from 'undici'
import type { OpenAiParameters, PromptMessage } from '../../../contract/openai.ts'
import type { JsonObject } from '../../../platform/http/json.ts'
import type { Proxies } from '../../../platform/http/proxies.ts'
import { toClientReason, type Unspeakable } from '../explanation.ts'
import { type ChatProvider, type ProviderChatRequest, ProviderError } from '../provider.ts'
import { authorize, type ProviderAccess, toRoot } from '../provider-http.ts'
import { MESSAGES, OpenAiAnswer } from './answer.ts'
import { type Omissible, type OutputLimit, RequestForms } from './request-form.ts'

/** Upstreams and load balancers close an idle connection after a minute. */
const KEPT_MS = 50_000

/** A plain answer comes when it is written: it has the time of one silence more for so many tokens. */
const TOKENS_PER_SILENCE = 1000
const WRITING_MS_MAX = 480_000

/** The root of the API includes `/v1`; `/chat/completions` is added to its path, and its query stays. */
export interface OpenAiChatOptions extends ProviderAccess {
  model: string
  /** The model's name to clients, which refusals use. Default: the same. */
  offeredAs?: string | undefined
  /** The name that it is sure to take. Without it the first is tried, and the other one if that is refused. */
  outputLimit?: OutputLimit | undefined
  /** Fields that no request has, because the upstream refuses them. */
  omit?: readonly Omissible[] | undefined
  headers?: Readonly<Record<string, string>> | undefined
  body?: Readonly<JsonObject> | undefined
  timeouts?: {
    /** Until the connection is open, through each proxy. */
    connectMs?: number | undefined
    /** Until the first event of a request, connecting included. Comments that keep a line open are no events. */
    firstByteMs?: number | undefined
    silenceMs?: number | undefined
  }
  /** Keys that must never be logged, besides `apiKey`. */
  secrets?: readonly string[] | undefined
}

/** Answers by any service with OpenAI's `POST /chat/completions`, in the form that it has shown to take. */
export function createOpenAiChatProvider(options: OpenAiChatOptions): ChatProvider {
  const { baseUrl, apiKey = '', model, offeredAs = model, secrets = [] } = options
  const { connectMs = 10_000, firstByteMs = 120_000, silenceMs = 60_000 } = options.timeouts ?? {}
  const { origin, pathname, search, host } = new URL(baseUrl)
  const path = `${toRoot(pathname)}/chat/completions${search}`
  const agent = openAgent(connectMs, options.proxies)
  const { stream_options: _ofStreams, ...body } = options.body ?? {}
  const asPlain = { headers: toHeaders('application/json'), fields: { stream: false, ...body } }
  const asStream = {
    headers: toHeaders('text/event-stream'),
    fields: { stream: true, stream_options: { include_usage: true }, ...options.body },
  }
  const forms = new RequestForms(options)
  return { answer }

  async function answer(
    ...[request, signal, take]: Parameters<ChatProvider['answer']>
  ): ReturnType<ChatProvider['answer']> {
    const { messages, maxTokens, parameters = {}, isPlain = false, onAdjusted } = request
    const { headers, fields } = isPlain ? asPlain : asStream
    const firstMs = isPlain ? toPlainMs({ firstByteMs, silenceMs }, maxTokens) : firstByteMs
    const asked = { model, messages, max_tokens: maxTokens, ...parameters, ...fields }
    const unspeakable = () => toUnspeakable(request)
    for (let form = forms.current; ; ) {
      signal.throwIfAborted()
      const sent = form
      const onTaken = () => forms.taken(sent)
      const answer = new OpenAiAnswer({ take, isPlain, firstMs, silenceMs, unspeakable, onTaken })
      const abort = () => answer.abort(signal.reason)
      signal.addEventListener('abort', abort, { once: true })
      try {
        // As bytes it is outside of the heap, where it stays until the answer has ended.
        const bytes = Buffer.from(JSON.stringify(forms.toBody(asked, sent)))
        // One clock decides, that of the answer: undici's own would cut a slow model or a slow reader.
        const timeouts = { headersTimeout: 0, bodyTimeout: 0 }
        agent.dispatch({ origin, path, method: 'POST', headers, body: bytes, ...timeouts }, answer)
        return await answer.whole
      } catch (error) {
        if (!(error instanceof ProviderError) || error.failure === undefined) throw error
        const next = answer.refusal && forms.after(sent, asked, error.failure)
        if (next === undefined) {
          if (error.code !== 'rejected') throw error
          throw toRejection(error, answer.refusal, unspeakable())
        }
        onAdjusted?.(error.failure)
        form = next
      } finally {
        signal.removeEventListener('abort', abort)
      }
    }
  }

  function toHeaders(accept: string): Record<string, string> {
    const own = { 'content-type': 'application/json', accept, ...authorize(options.apiKey) }
    return { ...own, ...options.headers }
  }

  function toUnspeakable({ messages, parameters }: ProviderChatRequest): Unspeakable {
    const texts = [...messages.flatMap(textsOf), ...definitionsOf(parameters)]
    return { secrets: [apiKey, ...secrets], texts }
  }

  function toRejection(
    { failure, isTooLong, cause }: ProviderError,
    refusal: OpenAiAnswer['refusal'],
    unspeakable: Unspeakable,
  ): ProviderError {
    const reason = refusal && toClientReason(refusal, unspeakable, { host, model, offeredAs })
    const refused = MESSAGES.rejected
    const message = reason ? `${refused.replace(/\.$/, '')}: ${reason}` : refused
    return new ProviderError('rejected', message, { failure, isTooLong, cause })
  }
}

/** Returns how long a plain answer is waited for: all that is written of it comes at the end. */
export function toPlainMs(
  { firstByteMs, silenceMs }: { firstByteMs: number; silenceMs: number },
  maxTokens: number,
): number {
  return firstByteMs + Math.min((maxTokens / TOKENS_PER_SILENCE) * silenceMs, WRITING_MS_MAX)
}

function textsOf(message: PromptMessage): string[] {
  const { content, name = '' } = message
  const calls = 'tool_calls' in message ? message.tool_calls : []
  return [content ?? '', name, ...calls.map((call) => call.function.arguments)]
}

function definitionsOf({ stop, tools, response_format }: OpenAiParameters = {}): string[] {
  const definitions = [tools, response_format].filter((one) => one !== undefined)
  return [...[stop ?? []].flat(), ...definitions.map((one) => JSON.stringify(one))]
}

function openAgent(connectMs: number, proxies: Proxies | undefined): Dispatcher {
  if (proxies === undefined)
    return new Agent({ keepAliveTimeout: KEPT_MS, connect: { timeout: connectMs } })
  // A proxy that dies shall break one answer, and not all that share a connection of HTTP/2.
  const connect = proxies.connectWithin(connectMs)
  return new Agent({ keepAliveTimeout: KEPT_MS, allowH2: false, connect })
}
