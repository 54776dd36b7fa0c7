import { Agent, type Dispatcher } from 'undici'
import {
  type Feature,
  featuresOf,
  type OpenAiParameters,
  type PromptMessage,
} from '../../../contract/openai.ts'
import type { JsonObject } from '../../../platform/http/json.ts'
import type { Proxies } from '../../../platform/http/proxies.ts'
import { toClientReason, type Unspeakable } from '../explanation.ts'
import { GatheredAnswer } from '../gathered-answer.ts'
import {
  type AnswerPiece,
  type ChatProvider,
  type ProviderChatRequest,
  ProviderError,
  type ProviderFinish,
} from '../provider.ts'
import { authorize, type ProviderAccess, toRoot } from '../provider-http.ts'
import { MESSAGES, OpenAiAnswer, type OpenAiAnswerOptions } from './answer.ts'
import { createRequestForms, type Omissible, type OutputLimit } from './request-form.ts'
import { createSupport } from './support.ts'

/**
 * Upstreams and what stands before them close an idle connection after a minute; one that says when is taken at its
 * word. A new one costs the first token its handshakes.
 */
const KEPT_MS = 50_000

const TIMEOUT_DEFAULTS = { connectMs: 10_000, firstByteMs: 120_000, silenceMs: 60_000 } as const

/** A plain answer comes when it is written: it has the time of one silence more for so many tokens. */
const TOKENS_PER_SILENCE = 1000
const WRITING_MS_MAX = 480_000

interface Ask extends Pick<OpenAiAnswerOptions, 'take' | 'isPlain' | 'firstMs'> {
  headers: Record<string, string>
  body: JsonObject
}

/** The root of the API includes `/v1`; `/chat/completions` is added to its path, and its query stays. */
export interface OpenAiChatOptions extends ProviderAccess {
  model: string
  /** The model's name to clients: theirs is what a refusal tells them of. Without it the same. */
  offeredAs?: string | undefined
  /** The name that it is sure to take. Without it the first is tried, and the other one where that is refused. */
  outputLimit?: OutputLimit | undefined
  /** Fields that no request has, because the upstream refuses them. */
  omit?: readonly Omissible[] | undefined
  /** Headers of every request, besides ours; one of the same name, in small letters, replaces ours. */
  headers?: Readonly<Record<string, string>> | undefined
  body?: Readonly<JsonObject> | undefined
  timeouts?: {
    /** Until the connection stands, through each proxy. Without effect when a `dispatcher` is given: it connects by its own rules. */
    connectMs?: number
    /** Until the first event of a request, connecting included. Comments that keep a line open are no events. */
    firstByteMs?: number
    silenceMs?: number
  }
  onlyStreams?: boolean | undefined
  supports?: readonly Feature[] | undefined
  /** Keys that must never be logged, besides `apiKey`. */
  secrets?: readonly string[] | undefined
  dispatcher?: Dispatcher
}

/**
 * Answers by any service with OpenAI's `POST /chat/completions`, streamed or plain, as it is asked.
 *
 * `rejected` is a request that would be refused again. Everything else that happens before the first delta is
 * `unavailable`, also a wrong key or model name there (401, 402, 403, 404) and its limits (408, 409, 425,
 * 429): the caller cannot mend it. After the first delta every failure is `broken`. An aborted answer ends
 * at once, its connection closed, and throws the signal's reason. What the provider wrote about a failure
 * is in the error's `failure`; of one that is `rejected`, what a client may read is in its message, too.
 *
 * A refusal of a field that the provider can do without, or takes under another name, is no failure: it is asked
 * again at once in another form, and so from then on. One that shows that the model cannot do what the request needs at
 * all is `rejected`, and remembered.
 */
export function createOpenAiChatProvider(options: OpenAiChatOptions): ChatProvider {
  const { baseUrl, apiKey = '', model, offeredAs = model, outputLimit, secrets = [] } = options
  const { connectMs, firstByteMs, silenceMs } = { ...TIMEOUT_DEFAULTS, ...options.timeouts }
  const { origin, pathname, search, host } = new URL(baseUrl)
  const path = `${toRoot(pathname)}/chat/completions${search}`
  const agent = options.dispatcher ?? openAgent(connectMs, options.proxies)
  const asStream = {
    headers: toHeaders('text/event-stream'),
    body: { stream: true, stream_options: { include_usage: true }, ...options.body },
  }
  const { stream_options: _ofStreams, ...body } = options.body ?? {}
  const asPlain = { headers: toHeaders('application/json'), body: { stream: false, ...body } }
  const support = createSupport(options.supports)
  const forms = createRequestForms({
    outputLimit,
    omit: options.omit,
    fixed: Object.keys(options.body ?? {}),
  })

  const stream: ChatProvider['stream'] = (asked, signal, take) =>
    ask(asked, { ...asStream, take, isPlain: false, firstMs: firstByteMs }, signal)
  const plain: ChatProvider['plain'] = async (asked, signal) => {
    const answer = new GatheredAnswer()
    const take = (piece: AnswerPiece) => void answer.add(piece)
    const firstMs = toPlainMs({ firstByteMs, silenceMs }, asked.maxTokens)
    return { ...(await ask(asked, { ...asPlain, take, isPlain: true, firstMs }, signal)), answer }
  }
  const { supports } = support
  return options.onlyStreams === true ? { supports, stream } : { supports, stream, plain }

  function toHeaders(accept: string): Record<string, string> {
    return {
      'content-type': 'application/json',
      accept,
      ...authorize(options.apiKey),
      ...options.headers,
    }
  }

  function toUnspeakable({ messages, parameters }: ProviderChatRequest): Unspeakable {
    return {
      secrets: [apiKey, ...secrets],
      texts: [...messages.flatMap(textsOf), ...definitionsOf(parameters)],
    }
  }

  async function ask(
    request: ProviderChatRequest,
    { headers, body, ...how }: Ask,
    signal: AbortSignal,
  ): Promise<ProviderFinish> {
    const { messages, maxTokens, parameters, onAdjusted } = request
    const asked = { model, messages, max_tokens: maxTokens, ...parameters, ...body }
    const features = featuresOf(parameters ?? {})
    const unspeakable = () => toUnspeakable(request)
    for (let form = forms.current(); ; ) {
      signal.throwIfAborted()
      const sent = form
      const onTaken = () => {
        forms.taken(sent)
        support.taken(features)
      }
      const answer = new OpenAiAnswer({ ...how, silenceMs, unspeakable, onTaken })
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
        if (!(error instanceof ProviderError)) throw error
        const { failure } = error
        const next = failure && answer.refusal && forms.after(sent, asked, failure)
        if (failure === undefined || next === undefined) {
          const isLacking = support.refused(features, failure ?? {})
          throw isLacking || error.code === 'rejected'
            ? toRejection(error, answer.refusal, unspeakable())
            : error
        }
        onAdjusted?.(failure)
        form = next
      } finally {
        signal.removeEventListener('abort', abort)
      }
    }
  }

  /** Adds the reason that a client may read. What the model cannot do is no reason to leave the upstream alone. */
  function toRejection(
    { failure, isTooLong, cause }: ProviderError,
    refusal: OpenAiAnswer['refusal'],
    unspeakable: Unspeakable,
  ): ProviderError {
    const reason = refusal && toClientReason(refusal, unspeakable, { host, model, offeredAs })
    const message = reason
      ? `${MESSAGES.rejected.replace(/\.$/, '')}: ${reason}`
      : MESSAGES.rejected
    return new ProviderError('rejected', message, { failure, isTooLong, cause })
  }
}

/** How long a plain answer is waited for: all that is written of it comes at the end. */
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
  // A proxy that dies shall take one answer with it, and not all that share a connection of HTTP/2.
  return new Agent({
    keepAliveTimeout: KEPT_MS,
    allowH2: false,
    connect: proxies.connectWithin(connectMs),
  })
}
