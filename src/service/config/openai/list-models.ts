import { Type } from 'typebox'
import { createGuard } from '../../../platform/guard.ts'
import { AnswerTooLongError } from '../../../platform/http/exchange.ts'
import { toExplanation } from '../../providers/explanation.ts'
import { readBreak } from '../../providers/failure.ts'
import { createProviderHttp, type ProviderAccess, readJson } from '../../providers/provider-http.ts'
import { readUsdPerToken, type UsdPrices } from './usd.ts'

/** OpenRouter lists some 400 models in 1 MB. */
const LIST_BYTES_MAX = 10 * 2 ** 20
const LIST_MS_MAX = 20_000

/** A model as an upstream lists it. */
export interface ListedModel {
  id: string
  ownedBy: string | undefined
  contextTokens: number | undefined
  prices: UsdPrices | undefined
  isChat: boolean
}

/**
 * Why there is no list. `unauthorized`: our key, money or rights (401, 402, 403). `unreachable`: nobody answers.
 * `unavailable`: it answers that it cannot now (408, 429, 5xx). `no_list`: what answers is no such API.
 */
export type ListProblem = 'unauthorized' | 'unreachable' | 'unavailable' | 'no_list'

export type ListedModels =
  | { ok: true; baseUrl: string; models: readonly ListedModel[] }
  | { ok: false; problem: ListProblem; status?: number | undefined; said?: string | undefined }

const isList = createGuard(
  Type.Object({
    data: Type.Array(Type.Object({ id: Type.String({ pattern: '^[!-~]{1,200}$' }) })),
  }),
)

/** Ids of models that answer no chat, where the list does not say so by itself. */
const NO_CHAT =
  /embed|whisper|tts|dall-e|image|moderation|rerank|audio|realtime|transcribe|speech|sora|guard|babbage|davinci|search|computer-use|codex|turbo-instruct|\bocr\b/i

/** Where the API is below the root of a host: at most upstreams, and at OpenRouter. */
const PATHS_BELOW = ['/v1', '/api/v1']

/**
 * Lists the models of an upstream by `GET /models`. Of a root without a version that has none, those below it are.
 *
 * @see https://platform.openai.com/docs/api-reference/models/list
 * @see https://openrouter.ai/docs/api-reference/list-available-models
 */
export async function listModels(
  { baseUrl, apiKey, proxies }: ProviderAccess,
  signal: AbortSignal,
): Promise<ListedModels> {
  const listed = await listAt({ baseUrl, apiKey, proxies }, signal)
  const { pathname } = new URL(baseUrl)
  if (listed.ok || listed.problem !== 'no_list' || /\/v\d+\w*$/.test(pathname)) return listed
  for (const path of PATHS_BELOW) {
    const url = new URL(baseUrl)
    url.pathname = `${pathname.replace(/\/+$/, '')}${path}`
    const below = await listAt({ baseUrl: url.href, apiKey, proxies }, signal)
    if (below.ok || below.problem === 'unauthorized') return below
  }
  return listed
}

async function listAt(
  { baseUrl, apiKey, proxies }: ProviderAccess,
  stopping: AbortSignal,
): Promise<ListedModels> {
  const http = createProviderHttp({ baseUrl, apiKey, proxies }, { accept: 'application/json' })
  const signal = AbortSignal.any([stopping, AbortSignal.timeout(LIST_MS_MAX)])
  const unspeakable = { secrets: [apiKey ?? ''], texts: [] }
  const answer = await http({ method: 'GET', path: 'models', bytesMax: LIST_BYTES_MAX, signal })
  if (answer.outcome !== 'answered') {
    if (answer.cause instanceof AnswerTooLongError) {
      return { ok: false, problem: 'no_list', said: 'a list of more than 10 MB' }
    }
    const { explanation: said } = readBreak(answer.cause, unspeakable)
    return { ok: false, problem: 'unreachable', said }
  }
  const { status, body } = answer
  const said = toExplanation(body, unspeakable)
  if (status >= 401 && status <= 403) return { ok: false, problem: 'unauthorized', status, said }
  if (status === 408 || status === 429 || status >= 500) {
    return { ok: false, problem: 'unavailable', status, said }
  }
  const json = readJson(answer)
  if (status !== 200 || !isList(json)) return { ok: false, problem: 'no_list', status, said }
  return { ok: true, baseUrl, models: json.data.map(toListed) }
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

/** OpenRouter's names of prices beside those of input and output. */
const MORE_PRICES = {
  cachedPrompt: 'input_cache_read',
  cacheWrite: 'input_cache_write',
  reasoning: 'internal_reasoning',
} as const satisfies Partial<Record<keyof UsdPrices, string>>

/** OpenRouter tells dollars per token. A price of one request besides would be lost, so such a model has none. */
function findPrices(pricing: unknown): UsdPrices | undefined {
  if (typeof pricing !== 'object' || pricing === null) return undefined
  const listed = pricing as Record<string, unknown>
  const { request = '0' } = listed
  const prompt = readUsdPerToken(listed.prompt)
  const completion = readUsdPerToken(listed.completion)
  if (prompt === undefined || completion === undefined || Number(request) !== 0) return undefined
  const more = Object.entries(MORE_PRICES)
    .filter(([, name]) => !isUnpriced(listed[name]))
    .map(([rate, name]) => [rate, readUsdPerToken(listed[name])] as const)
  if (more.some(([, microUsd]) => microUsd === undefined)) return undefined
  return { prompt, completion, ...Object.fromEntries(more) }
}

/** OpenRouter lists 0 for reasoning and cache writes that cost what all output and input do. */
function isUnpriced(price: unknown): boolean {
  return price === undefined || price === null || Number(price) === 0
}

function isChat({ id, architecture, capabilities, active }: Record<string, unknown>): boolean {
  if (active === false) return false
  const { output_modalities: made } = (architecture ?? {}) as Record<string, unknown>
  if (Array.isArray(made)) return made.length === 1 && made[0] === 'text'
  const { completion_chat: chats } = (capabilities ?? {}) as Record<string, unknown>
  return typeof chats === 'boolean' ? chats : !NO_CHAT.test(String(id))
}
