import type { OutputLimit } from '../../providers/openai/request-form.ts'

/** A well-known upstream with OpenAI's API. */
export interface KnownUpstream {
  name: string
  baseUrl: string
  keyPrefix?: string
  /** Offered first, in this order, of those that it lists. */
  prefers?: readonly string[]
  outputLimit?: OutputLimit
}

export const KNOWN_UPSTREAMS: readonly KnownUpstream[] = [
  {
    name: 'OpenAI',
    baseUrl: 'https://api.openai.com/v1',
    keyPrefix: 'sk-proj-',
    prefers: [
      'gpt-5-mini',
      'gpt-5.1',
      'gpt-5-nano',
      'gpt-4.1',
      'gpt-4.1-mini',
      'gpt-4o-mini',
      'gpt-5',
      'gpt-4.1-nano',
      'gpt-4o',
      'o3',
      'o4-mini',
    ],
    outputLimit: 'max_completion_tokens',
  },
  {
    name: 'OpenRouter',
    baseUrl: 'https://openrouter.ai/api/v1',
    keyPrefix: 'sk-or-',
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
    prefers: ['deepseek-v4-flash', 'deepseek-v4-pro', 'deepseek-chat', 'deepseek-reasoner'],
  },
  {
    name: 'Groq',
    baseUrl: 'https://api.groq.com/openai/v1',
    keyPrefix: 'gsk_',
    prefers: [
      'openai/gpt-oss-120b',
      'llama-3.3-70b-versatile',
      'openai/gpt-oss-20b',
      'llama-3.1-8b-instant',
    ],
  },
  {
    name: 'Mistral',
    baseUrl: 'https://api.mistral.ai/v1',
    prefers: ['mistral-medium-latest', 'mistral-large-latest', 'mistral-small-latest'],
  },
  {
    name: 'Anthropic',
    baseUrl: 'https://api.anthropic.com/v1',
    keyPrefix: 'sk-ant-',
  },
  {
    name: 'xAI',
    baseUrl: 'https://api.x.ai/v1',
    keyPrefix: 'xai-',
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
