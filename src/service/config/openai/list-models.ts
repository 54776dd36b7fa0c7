/** Asks an upstream which models it has, by `GET /models`. No key is in the words that explain a failure. */
import { Type } from 'typebox'
import { createGuard } from '../../../platform/guard.ts'
import { type JsonObject, toJsonObject } from '../../../platform/http/json.ts'
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
  /** `unavailable`: it answers that it cannot now (408, 429, 5xx). `no_list`: no such API answers. */
  kind: 'unauthorized' | 'unreachable' | 'unavailable' | 'no_list'
  upstream: string
  status: number | undefined
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
    const { explanation: said } = readBreak(answer.cause, unspeakable)
    return { ok: false, trouble: toTrouble('unreachable', access, { said }) }
  }
  const { status, body } = answer
  const json = readJson(answer)
  if (status === 200 && isList(json)) return { ok: true, baseUrl, models: json.data.map(toListed) }
  const said = toExplanation(body, unspeakable)
  return { ok: false, trouble: toTrouble(toKind(status), access, { status, said }) }
}

function toKind(status: number): UpstreamTrouble['kind'] {
  if (status >= 401 && status <= 403) return 'unauthorized'
  return status === 408 || status === 429 || status >= 500 ? 'unavailable' : 'no_list'
}

/** The names of OpenRouter, vLLM, Groq, and of Mistral and LM Studio. */
const CONTEXT_NAMES = ['context_length', 'max_model_len', 'context_window', 'max_context_length']

function toListed(entry: { id: string } & JsonObject): ListedModel {
  const { id, owned_by } = entry
  return {
    // Google lists `models/gemini-2.5-pro` and accepts both.
    id: id.replace(/^models\//, ''),
    ownedBy: typeof owned_by === 'string' && owned_by !== '' ? owned_by : undefined,
    contextTokens: CONTEXT_NAMES.map((name) => entry[name]).find(isTokens),
    prices: findPrices(entry.pricing),
    isChat: isChat(entry),
  }
}

function isTokens(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) > 0
}

const RATE_NAMES = [
  ['cachedPrompt', 'input_cache_read'],
  ['cacheWrite', 'input_cache_write'],
  ['reasoning', 'internal_reasoning'],
] as const

/** OpenRouter lists dollars per token. A model with a price per request has no price here. */
function findPrices(pricing: unknown): UsdPrices | undefined {
  const listed = toJsonObject(pricing)
  const prompt = readUsdPerToken(listed.prompt)
  const completion = readUsdPerToken(listed.completion)
  const isOfRequests = Number(listed.request ?? 0) !== 0
  if (prompt === undefined || completion === undefined || isOfRequests) return undefined
  const prices: UsdPrices = { prompt, completion }
  for (const [rate, name] of RATE_NAMES) {
    // OpenRouter lists 0 for reasoning and cache writes that cost what all output and input do.
    if (Number(listed[name] ?? 0) === 0) continue
    const microUsd = readUsdPerToken(listed[name])
    if (microUsd === undefined) return undefined
    prices[rate] = microUsd
  }
  return prices
}

function isChat({ id, architecture, capabilities, active }: JsonObject): boolean {
  if (active === false) return false
  const { output_modalities: made } = toJsonObject(architecture)
  if (Array.isArray(made)) return made.length === 1 && made[0] === 'text'
  const { completion_chat: chats } = toJsonObject(capabilities)
  return typeof chats === 'boolean' ? chats : !NO_CHAT.test(String(id))
}

/** Describes why there is no list, in a sentence with what to do. */
export function toTrouble(
  kind: UpstreamTrouble['kind'],
  access: ProviderAccess,
  { status, said }: { status?: number; said?: string | undefined },
): UpstreamTrouble {
  const { host: upstream } = new URL(access.baseUrl)
  // Some repeat their status in their words.
  const isStated = said?.startsWith(String(status)) === true
  const words = isStated ? said : [status, said].filter(Boolean).join(' ')
  const sentence = describe(kind, access, status)
  return { kind, upstream, status, said, sentence: words ? `${sentence} (${words})` : sentence }
}

function describe(
  kind: UpstreamTrouble['kind'],
  { baseUrl, apiKey }: ProviderAccess,
  status: number | undefined,
): string {
  const { host } = new URL(baseUrl)
  const sentences = {
    unreachable: `OPENAI_BASE_URL: no answer from ${baseUrl}; is the address right, and does the upstream run?`,
    unavailable: `OPENAI_BASE_URL: ${host} does not list its models now: it is asked again`,
    no_list: `OPENAI_BASE_URL: ${baseUrl} is no API like OpenAI's, it lists no models at ${baseUrl}/models`,
  }
  if (kind !== 'unauthorized') return sentences[kind]
  if (apiKey === undefined) return `OPENAI_API_KEY: ${host} wants a key: set it`
  if (status === 402)
    return `OPENAI_API_KEY: ${host} has no money left for this key: top it up there`
  if (status === 403)
    return `OPENAI_API_KEY: ${host} gives this key no right to its models: change that there`
  const giver = findKnownUpstream(baseUrl)?.name ?? 'it'
  return `OPENAI_API_KEY: ${host} refuses this key: set one that ${giver} has given you`
}
