/**
 * Asks an upstream which models it has, by `GET /models`.
 * In: how the upstream is reached. Out: its models with the contexts and prices that it lists, or why there is no list.
 * Invariant: no key is in the words that explain a failure.
 */
import { Type } from 'typebox'
import { createGuard } from '../../../platform/guard.ts'
import { AnswerTooLongError } from '../../../platform/http/http-client.ts'
import { toExplanation } from '../../providers/explanation.ts'
import { readBreak } from '../../providers/failure.ts'
import { createProviderHttp, type ProviderAccess, readJson } from '../../providers/provider-http.ts'
import { findKnownUpstream } from './settings.ts'
import { readUsdPerToken, type UsdPrices } from './usd.ts'

/** OpenRouter lists some 400 models in 1 MB. */
const LIST_BYTES_MAX = 10 * 2 ** 20
const LIST_MS_MAX = 20_000

export interface ListedModel {
  id: string
  ownedBy: string | undefined
  contextTokens: number | undefined
  prices: UsdPrices | undefined
  isChat: boolean
}

export interface UpstreamTrouble {
  /**
   * `unauthorized`: our key, money or rights (401, 402, 403). `unreachable`: nobody answers. `unavailable`: it answers that
   * it cannot now (408, 429, 5xx). `no_list`: what answers is no such API.
   */
  kind: 'unauthorized' | 'unreachable' | 'unavailable' | 'no_list'
  upstream: string
  status: number | undefined
  /** Its own words, in one line, without keys. */
  said: string | undefined
  sentence: string
}

export type ListedModels =
  | { ok: true; baseUrl: string; models: readonly ListedModel[] }
  | { ok: false; trouble: UpstreamTrouble }

const isList = createGuard(
  Type.Object({
    data: Type.Array(Type.Object({ id: Type.String({ pattern: '^[!-~]{1,200}$' }) })),
  }),
)

/** Ids of models that answer no chat, where the list does not say so by itself. */
const NO_CHAT =
  /embed|whisper|tts|dall-e|image|moderation|rerank|audio|realtime|transcribe|speech|sora|guard|babbage|davinci|search|computer-use|codex|turbo-instruct|\bocr\b/i

/**
 * Lists the models of an upstream. A root without a version that has no list is tried with `/v1` and `/api/v1` below it.
 *
 * @see https://platform.openai.com/docs/api-reference/models/list
 * @see https://openrouter.ai/docs/api-reference/list-available-models
 */
export async function listModels(
  access: ProviderAccess,
  signal: AbortSignal,
): Promise<ListedModels> {
  const listed = await listAt(access, signal)
  const root = access.baseUrl.replace(/\/+$/, '')
  const hasVersion = /\/v\d+\w*$/.test(new URL(root).pathname)
  if (listed.ok || listed.trouble.kind !== 'no_list' || hasVersion) return listed
  for (const path of ['/v1', '/api/v1']) {
    const below = await listAt({ ...access, baseUrl: `${root}${path}` }, signal)
    if (below.ok || below.trouble.kind === 'unauthorized') return below
  }
  return listed
}

async function listAt(access: ProviderAccess, stopping: AbortSignal): Promise<ListedModels> {
  const { baseUrl, apiKey = '' } = access
  const http = createProviderHttp(access, { accept: 'application/json' })
  const signal = AbortSignal.any([stopping, AbortSignal.timeout(LIST_MS_MAX)])
  const unspeakable = { secrets: [apiKey], texts: [] }
  const answer = await http({ method: 'GET', path: 'models', bytesMax: LIST_BYTES_MAX, signal })
  if (answer.outcome !== 'answered') {
    if (answer.cause instanceof AnswerTooLongError) {
      return fail('no_list', { said: 'a list of more than 10 MB' })
    }
    return fail('unreachable', { said: readBreak(answer.cause, unspeakable).explanation })
  }
  const { status, body } = answer
  const json = readJson(answer)
  if (status === 200 && isList(json)) return { ok: true, baseUrl, models: json.data.map(toListed) }
  return fail(toKind(status), { status, said: toExplanation(body, unspeakable) })

  function fail(
    kind: UpstreamTrouble['kind'],
    answered: { status?: number; said: string | undefined },
  ): ListedModels {
    return { ok: false, trouble: toTrouble(kind, access, answered) }
  }
}

function toKind(status: number): UpstreamTrouble['kind'] {
  if (status >= 401 && status <= 403) return 'unauthorized'
  return status === 408 || status === 429 || status >= 500 ? 'unavailable' : 'no_list'
}

function toListed(entry: { id: string } & Record<string, unknown>): ListedModel {
  const { id, owned_by } = entry
  return {
    // Google lists `models/gemini-2.5-pro` and accepts both.
    id: id.replace(/^models\//, ''),
    ownedBy: typeof owned_by === 'string' && owned_by !== '' ? owned_by : undefined,
    contextTokens: findContext(entry),
    prices: findPrices(entry.pricing),
    isChat: isChat(entry),
  }
}

/** OpenRouter, vLLM, Groq, Mistral and LM Studio each have a name for it. */
function findContext(entry: Record<string, unknown>): number | undefined {
  const { context_length, max_model_len, context_window, max_context_length } = entry
  return [context_length, max_model_len, context_window, max_context_length].find(
    (tokens): tokens is number => Number.isSafeInteger(tokens) && Number(tokens) > 0,
  )
}

/** OpenRouter tells dollars per token. A price of one request besides would be lost, so such a model has none. */
function findPrices(pricing: unknown): UsdPrices | undefined {
  if (typeof pricing !== 'object' || pricing === null) return undefined
  const listed = pricing as Record<string, unknown>
  const prompt = readUsdPerToken(listed.prompt)
  const completion = readUsdPerToken(listed.completion)
  const isOfRequests = Number(listed.request ?? 0) !== 0
  if (prompt === undefined || completion === undefined || isOfRequests) return undefined
  const prices: UsdPrices = { prompt, completion }
  for (const [rate, name] of [
    ['cachedPrompt', 'input_cache_read'],
    ['cacheWrite', 'input_cache_write'],
    ['reasoning', 'internal_reasoning'],
  ] as const) {
    // OpenRouter lists 0 for reasoning and cache writes that cost what all output and input do.
    if (Number(listed[name] ?? 0) === 0) continue
    const microUsd = readUsdPerToken(listed[name])
    if (microUsd === undefined) return undefined
    prices[rate] = microUsd
  }
  return prices
}

function isChat({ id, architecture, capabilities, active }: Record<string, unknown>): boolean {
  if (active === false) return false
  const { output_modalities: made } = (architecture ?? {}) as Record<string, unknown>
  if (Array.isArray(made)) return made.length === 1 && made[0] === 'text'
  const { completion_chat: chats } = (capabilities ?? {}) as Record<string, unknown>
  return typeof chats === 'boolean' ? chats : !NO_CHAT.test(String(id))
}

/** Describes why there is no list, in a sentence with what to do. */
export function toTrouble(
  kind: UpstreamTrouble['kind'],
  access: Pick<ProviderAccess, 'baseUrl' | 'apiKey'>,
  { status, said }: { status?: number; said?: string | undefined },
): UpstreamTrouble {
  const upstream = new URL(access.baseUrl).host
  // Some repeat their status in their words.
  const isTold = said?.startsWith(String(status)) ?? false
  const words = [isTold ? undefined : status, said].filter((part) => part !== undefined).join(' ')
  const sentence = describe(kind, access, status)
  return { kind, upstream, status, said, sentence: words ? `${sentence} (${words})` : sentence }
}

function describe(
  kind: UpstreamTrouble['kind'],
  { baseUrl, apiKey }: Pick<ProviderAccess, 'baseUrl' | 'apiKey'>,
  status: number | undefined,
): string {
  const upstream = new URL(baseUrl).host
  switch (kind) {
    case 'unauthorized':
      if (apiKey === undefined) return `OPENAI_API_KEY: ${upstream} wants a key: set it`
      if (status === 402)
        return `OPENAI_API_KEY: ${upstream} has no money left for this key: top it up there`
      if (status === 403)
        return `OPENAI_API_KEY: ${upstream} gives this key no right to its models: change that there`
      return `OPENAI_API_KEY: ${upstream} refuses this key: set one that ${findKnownUpstream(baseUrl)?.name ?? 'it'} has given you`
    case 'unreachable':
      return `OPENAI_BASE_URL: nobody answers at ${baseUrl}; is the address right, and does the upstream run?`
    case 'unavailable':
      return `OPENAI_BASE_URL: ${upstream} does not list its models now: it is asked again`
    case 'no_list':
      return `OPENAI_BASE_URL: ${baseUrl} is no API like OpenAI's, it lists no models at ${baseUrl}/models`
  }
}
