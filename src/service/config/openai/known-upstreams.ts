/**
 * Well-known upstreams with OpenAI's API, and what their models cost where their own list does not say so.
 *
 * Dollars per 1 million tokens, input that is not cached and output, as the upstreams' pages of prices had them on the
 * date beside each:
 * - OpenAI, 2026-04: https://platform.openai.com/docs/pricing
 * - DeepSeek, 2026-06: https://api-docs.deepseek.com/quick_start/pricing
 * - Groq, 2025-11: https://groq.com/pricing
 * - Mistral, 2026-04: https://mistral.ai/pricing
 *
 * A price that has changed since is set by OPENAI_PRICES or in SERVICE_CONFIG. A model that is not here has no price by
 * guess: the start asks for it.
 */
import type { OutputLimit } from '../../providers/openai/request-form.ts'
import { parseUsd, type UsdPrices } from './usd.ts'

/** A model whose price and context the project knows. */
export interface KnownModel extends UsdPrices {
  contextTokens: number
}

export interface KnownUpstream {
  name: string
  baseUrl: string
  keyPrefix?: string
  pricedAt?: string
  /** In the order in which they are offered. */
  models: ReadonlyMap<string, KnownModel>
  /** Offered first of those that it lists, where the prices are in its list. */
  prefers: readonly string[]
  outputLimit?: OutputLimit
}

type Row = readonly [id: string, promptUsd: string, completionUsd: string, contextTokens: number]

const OPENAI: readonly Row[] = [
  ['gpt-5-mini', '0.25', '2', 400_000],
  ['gpt-5.1', '1.25', '10', 400_000],
  ['gpt-5-nano', '0.05', '0.4', 400_000],
  ['gpt-4.1', '2', '8', 1_047_576],
  ['gpt-4.1-mini', '0.4', '1.6', 1_047_576],
  ['gpt-4o-mini', '0.15', '0.6', 128_000],
  ['gpt-5', '1.25', '10', 400_000],
  ['gpt-4.1-nano', '0.1', '0.4', 1_047_576],
  ['gpt-4o', '2.5', '10', 128_000],
  ['o3', '2', '8', 200_000],
  ['o4-mini', '1.1', '4.4', 200_000],
]
const DEEPSEEK: readonly Row[] = [
  ['deepseek-v4-flash', '0.14', '0.28', 1_000_000],
  ['deepseek-v4-pro', '0.435', '0.87', 1_000_000],
  ['deepseek-chat', '0.28', '0.42', 128_000],
  ['deepseek-reasoner', '0.28', '0.42', 128_000],
]
const GROQ: readonly Row[] = [
  ['openai/gpt-oss-120b', '0.15', '0.6', 131_072],
  ['llama-3.3-70b-versatile', '0.59', '0.79', 131_072],
  ['openai/gpt-oss-20b', '0.075', '0.3', 131_072],
  ['llama-3.1-8b-instant', '0.05', '0.08', 131_072],
]
const MISTRAL: readonly Row[] = [
  ['mistral-medium-latest', '0.4', '2', 128_000],
  ['mistral-large-latest', '2', '6', 128_000],
  ['mistral-small-latest', '0.2', '0.6', 128_000],
]

export const KNOWN_UPSTREAMS: readonly KnownUpstream[] = [
  {
    name: 'OpenAI',
    baseUrl: 'https://api.openai.com/v1',
    keyPrefix: 'sk-proj-',
    pricedAt: '2026-04',
    models: toModels(OPENAI),
    prefers: [],
    outputLimit: 'max_completion_tokens',
  },
  {
    name: 'OpenRouter',
    baseUrl: 'https://openrouter.ai/api/v1',
    keyPrefix: 'sk-or-',
    models: new Map(),
    prefers: [
      'openai/gpt-5-mini',
      'openai/gpt-5.1',
      'anthropic/claude-sonnet-4.5',
      'anthropic/claude-haiku-4.5',
      'google/gemini-2.5-flash',
      'google/gemini-2.5-pro',
      'deepseek/deepseek-v3.2',
      'x-ai/grok-4-fast',
      'qwen/qwen3-235b-a22b-2507',
      'mistralai/mistral-medium-3.1',
    ],
  },
  {
    name: 'DeepSeek',
    baseUrl: 'https://api.deepseek.com',
    pricedAt: '2026-06',
    models: toModels(DEEPSEEK),
    prefers: [],
  },
  {
    name: 'Groq',
    baseUrl: 'https://api.groq.com/openai/v1',
    keyPrefix: 'gsk_',
    pricedAt: '2025-11',
    models: toModels(GROQ),
    prefers: [],
  },
  {
    name: 'Mistral',
    baseUrl: 'https://api.mistral.ai/v1',
    pricedAt: '2026-04',
    models: toModels(MISTRAL),
    prefers: [],
  },
  {
    name: 'Anthropic',
    baseUrl: 'https://api.anthropic.com/v1',
    keyPrefix: 'sk-ant-',
    models: new Map(),
    prefers: [],
  },
  {
    name: 'xAI',
    baseUrl: 'https://api.x.ai/v1',
    keyPrefix: 'xai-',
    models: new Map(),
    prefers: [],
  },
]

/** Finds the upstream that answers at a URL. */
export function findKnownUpstream(baseUrl: string): KnownUpstream | undefined {
  const { host } = new URL(baseUrl)
  return KNOWN_UPSTREAMS.find((known) => new URL(known.baseUrl).host === host)
}

/** Finds the upstream whose keys begin so. */
export function findOwnerOfKey(apiKey: string): KnownUpstream | undefined {
  return KNOWN_UPSTREAMS.find(
    ({ keyPrefix }) => keyPrefix !== undefined && apiKey.startsWith(keyPrefix),
  )
}

function toModels(rows: readonly Row[]): ReadonlyMap<string, KnownModel> {
  return new Map(
    rows.map(([id, promptUsd, completionUsd, contextTokens]) => [
      id,
      {
        promptMicroUsdPer1m: toMicroUsd(promptUsd),
        completionMicroUsdPer1m: toMicroUsd(completionUsd),
        contextTokens,
      },
    ]),
  )
}

function toMicroUsd(usd: string): bigint {
  const microUsd = parseUsd(usd)
  if (microUsd === undefined) throw new TypeError(`Cannot read the price ${usd}`)
  return microUsd
}
