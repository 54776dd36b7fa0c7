/**
 * The documented answers of ten vendors with OpenAI's API: list of models, stream, usage, errors.
 *
 * Each vendor reports the same turn in its own shape, so the bill of a turn is known before.
 */

/** What a model does in one turn, in tokens. */
export interface Turn {
  uncached: number
  cached: number
  thinking: number
  text: number
  words: string
  thought: string
}

export interface Vendor {
  name: string
  baseUrl: string
  key?: string
  model: string
  /** Name of the vendor in the public list of prices; without it the operator states the price. */
  pricedAs?: string
  env?: Record<string, string>
  models: unknown
  /** Refuses a request whose form the vendor does not accept. */
  refuses?(body: Record<string, unknown>): Refusal | undefined
  /** The body of the event stream. */
  stream(turn: Turn): string
  tooLong: Refusal
}

export interface Refusal {
  status: number
  body: unknown
}

const promptOf = ({ uncached, cached }: Turn) => uncached + cached
const completionOf = ({ thinking, text }: Turn) => thinking + text
const totalOf = (turn: Turn) => promptOf(turn) + completionOf(turn)

function data(...chunks: (object | string)[]): string {
  return chunks
    .map((chunk) => `data: ${typeof chunk === 'string' ? chunk : JSON.stringify(chunk)}\n\n`)
    .join('')
}

function chunk(delta: object, finish: string | null = null, more: object = {}) {
  const choice = { index: 0, delta, finish_reason: finish, logprobs: null, ...more }
  return { id: 'c1', object: 'chat.completion.chunk', created: 1_764_000_000, choices: [choice] }
}

function listOf(...ids: string[]) {
  const data = ids.map((id) => ({ id, object: 'model', created: 1_730_000_000, owned_by: 'them' }))
  return { object: 'list', data }
}

function halves(words: string): [string, string] {
  return [words.slice(0, 5), words.slice(5)]
}

function sumsOf(turn: Turn) {
  const [prompt, completion] = [promptOf(turn), completionOf(turn)]
  return {
    prompt_tokens: prompt,
    completion_tokens: completion,
    total_tokens: prompt + completion,
  }
}

function standardUsage(turn: Turn) {
  return {
    ...sumsOf(turn),
    prompt_tokens_details: { cached_tokens: turn.cached, audio_tokens: 0 },
    completion_tokens_details: { reasoning_tokens: turn.thinking, audio_tokens: 0 },
  }
}

function tooLongAsOpenAi(limit: number, message?: string): Refusal {
  return {
    status: 400,
    body: {
      error: {
        message:
          message ??
          `This model's maximum context length is ${limit} tokens. However, your messages resulted in ${limit + 5} tokens. Please reduce the length of the messages.`,
        type: 'invalid_request_error',
        param: 'messages',
        code: 'context_length_exceeded',
      },
    },
  }
}

/** @see https://platform.openai.com/docs/api-reference/chat-streaming */
const OPENAI: Vendor = {
  name: 'OpenAI',
  baseUrl: 'http://api.openai.com/v1',
  key: 'sk-proj-local',
  model: 'gpt-5-mini',
  pricedAs: 'openai',
  models: listOf('gpt-5-mini', 'text-embedding-3-small'),
  refuses: (body) =>
    'max_tokens' in body
      ? {
          status: 400,
          body: {
            error: {
              message:
                "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
              type: 'invalid_request_error',
              param: 'max_tokens',
              code: 'unsupported_parameter',
            },
          },
        }
      : undefined,
  stream: (turn) => {
    const [one, two] = halves(turn.words)
    return data(
      chunk({ role: 'assistant', content: '', refusal: null }),
      { ...chunk({ content: one }), obfuscation: 'aZ3' },
      { ...chunk({ content: two }), usage: null, obfuscation: 'k' },
      chunk({}, 'stop'),
      { ...chunk({}), choices: [], usage: standardUsage(turn) },
      '[DONE]',
    )
  },
  tooLong: tooLongAsOpenAi(400_000),
}

/** @see https://openrouter.ai/docs/api-reference/overview */
const OPENROUTER: Vendor = {
  name: 'OpenRouter',
  baseUrl: 'http://openrouter.ai/api/v1',
  key: 'sk-or-v1-local',
  model: 'deepseek/deepseek-v3.2',
  models: {
    data: [
      {
        id: 'deepseek/deepseek-v3.2',
        canonical_slug: 'deepseek/deepseek-v3.2',
        name: 'DeepSeek: DeepSeek V3.2',
        created: 1_754_425_777,
        context_length: 163_840,
        architecture: { input_modalities: ['text'], output_modalities: ['text'] },
        pricing: {
          prompt: '0.00000028',
          completion: '0.00000042',
          request: '0',
          image: '0',
          internal_reasoning: '0',
          input_cache_read: '0.000000028',
        },
        top_provider: { context_length: 163_840, max_completion_tokens: 65_536 },
        supported_parameters: ['max_tokens', 'reasoning', 'temperature'],
      },
    ],
  },
  stream: (turn) => {
    const [one, two] = halves(turn.words)
    const thought = { reasoning: turn.thought, reasoning_details: [reasoningText(turn.thought)] }
    const cost = openRouterCost(turn)
    return `: OPENROUTER PROCESSING\n\n${data(
      chunk({ role: 'assistant', content: '', ...thought }, null, { native_finish_reason: null }),
      chunk({ role: 'assistant', content: one }, null, { native_finish_reason: null }),
      chunk({ role: 'assistant', content: two }, 'stop', { native_finish_reason: 'stop' }),
      {
        ...chunk({ role: 'assistant', content: '' }),
        provider: 'DeepSeek',
        usage: {
          ...standardUsage(turn),
          cost,
          is_byok: false,
          cost_details: { upstream_inference_cost: cost },
        },
      },
      '[DONE]',
    )}`
  },
  tooLong: {
    status: 400,
    body: {
      error: {
        message:
          "This endpoint's maximum context length is 163840 tokens. However, you requested about 163900 tokens. Please reduce the length of either one.",
        code: 400,
      },
    },
  },
}

function reasoningText(text: string) {
  return { type: 'reasoning.text', text, format: 'unknown', index: 0 }
}

/** Dollars, with a discount that no list shows: the reported cost is charged. */
export function openRouterCost(turn: Turn): number {
  const listed = turn.uncached * 0.28 + turn.cached * 0.028 + completionOf(turn) * 0.42
  return (listed * 0.9) / 1e6
}

/** @see https://docs.mistral.ai/capabilities/reasoning */
const MISTRAL: Vendor = {
  name: 'Mistral',
  baseUrl: 'http://api.mistral.ai/v1',
  key: 'mistral-local',
  model: 'magistral-medium-latest',
  pricedAs: 'mistral',
  models: listOf('magistral-medium-latest', 'mistral-embed'),
  refuses: (body) =>
    'stream_options' in body
      ? {
          status: 422,
          body: {
            object: 'error',
            message: {
              detail: [
                {
                  type: 'extra_forbidden',
                  loc: ['body', 'stream_options'],
                  msg: 'Extra inputs are not permitted',
                },
              ],
            },
            type: 'invalid_request_error',
            param: null,
            code: null,
          },
        }
      : undefined,
  stream: (turn) => {
    const [one, two] = halves(turn.words)
    const part = (text: string) => ({ type: 'text', text })
    return data(
      chunk({ role: 'assistant', content: '' }),
      chunk({ content: [{ type: 'thinking', thinking: [part(turn.thought)] }] }),
      chunk({ content: [part(one)] }),
      chunk({ content: two }),
      {
        ...chunk({ content: '' }, 'stop'),
        usage: sumsOf(turn),
      },
      '[DONE]',
    )
  },
  tooLong: {
    status: 400,
    body: {
      object: 'error',
      message:
        'Prompt contains 130000 tokens and 0 draft tokens, too large for model with 128000 maximum context length',
      type: 'invalid_request_error',
      param: null,
      code: '3051',
    },
  },
}

/** @see https://console.groq.com/docs/api-reference */
const GROQ: Vendor = {
  name: 'Groq',
  baseUrl: 'http://api.groq.com/openai/v1',
  key: 'gsk_local',
  model: 'openai/gpt-oss-120b',
  pricedAs: 'groq',
  models: {
    object: 'list',
    data: [
      {
        id: 'openai/gpt-oss-120b',
        object: 'model',
        created: 1_754_408_224,
        owned_by: 'OpenAI',
        active: true,
        context_window: 131_072,
        max_completion_tokens: 65_536,
      },
    ],
  },
  stream: (turn) => {
    const [one, two] = halves(turn.words)
    return data(
      { ...chunk({ role: 'assistant', content: '' }), x_groq: { id: 'req_1' } },
      chunk({ reasoning: turn.thought, channel: 'analysis' }),
      chunk({ content: one }),
      chunk({ content: two }),
      {
        ...chunk({}, 'stop'),
        x_groq: { id: 'req_1', usage: { queue_time: 0.02, ...standardUsage(turn), total_time: 1 } },
      },
      '[DONE]',
    )
  },
  tooLong: tooLongAsOpenAi(
    131_072,
    'Please reduce the length of the messages or completion. Current length is 140000 while limit is 131072',
  ),
}

/** @see https://api-docs.deepseek.com/api/create-chat-completion */
const DEEPSEEK: Vendor = {
  name: 'DeepSeek',
  baseUrl: 'http://api.deepseek.com',
  key: 'sk-deepseek-local',
  model: 'deepseek-v4-flash',
  pricedAs: 'deepseek',
  models: listOf('deepseek-v4-flash'),
  stream: (turn) => {
    const [one, two] = halves(turn.words)
    const delta = (content: string | null, reasoning_content: string | null = null) => ({
      content,
      reasoning_content,
    })
    return `: keep-alive\n\n${data(
      chunk({ role: 'assistant', ...delta('') }),
      chunk(delta(null, turn.thought)),
      chunk(delta(one)),
      chunk(delta(two)),
      {
        ...chunk(delta(''), 'stop'),
        usage: {
          ...sumsOf(turn),
          prompt_cache_hit_tokens: turn.cached,
          prompt_cache_miss_tokens: turn.uncached,
          completion_tokens_details: { reasoning_tokens: turn.thinking },
        },
      },
      '[DONE]',
    )}`
  },
  tooLong: {
    status: 400,
    body: {
      error: {
        message:
          "This model's maximum context length is 1000000 tokens. However, you requested 1000900 tokens (996804 in the messages, 4096 in the completion). Please reduce the length of the messages or completion.",
        type: 'invalid_request_error',
        param: null,
        code: 'invalid_request_error',
      },
    },
  },
}

/** xAI counts reasoning beside the completion. @see https://docs.x.ai/docs/api-reference */
const XAI: Vendor = {
  name: 'xAI',
  baseUrl: 'http://api.x.ai/v1',
  key: 'xai-local',
  model: 'grok-3-mini',
  pricedAs: 'x-ai',
  models: listOf('grok-3-mini'),
  stream: (turn) => {
    const [one, two] = halves(turn.words)
    const usage = {
      ...standardUsage(turn),
      completion_tokens: turn.text,
      prompt_tokens_details: { text_tokens: promptOf(turn), cached_tokens: turn.cached },
      num_sources_used: 0,
    }
    return data(
      chunk({ role: 'assistant', reasoning_content: turn.thought }),
      { ...chunk({ role: 'assistant', content: one }), usage: { ...usage, completion_tokens: 1 } },
      { ...chunk({ role: 'assistant', content: two }, 'stop') },
      { ...chunk({}), choices: [], usage },
      '[DONE]',
    )
  },
  tooLong: {
    status: 400,
    body: {
      code: 'Client specified an invalid argument',
      error: "This model's maximum prompt length is 131072 but the request contains 140000 tokens.",
    },
  },
}

/** Gemini counts thoughts in the total only. @see https://ai.google.dev/gemini-api/docs/openai */
const GEMINI: Vendor = {
  name: 'Gemini',
  baseUrl: 'http://generativelanguage.googleapis.com/v1beta/openai',
  key: 'AIza-local',
  model: 'gemini-2.5-flash',
  pricedAs: 'google',
  models: listOf('models/gemini-2.5-flash', 'models/embedding-001'),
  stream: (turn) => {
    const [one, two] = halves(turn.words)
    const usage = {
      prompt_tokens: promptOf(turn),
      completion_tokens: turn.text,
      total_tokens: totalOf(turn),
      prompt_tokens_details: { cached_tokens: turn.cached },
      completion_tokens_details: { reasoning_tokens: turn.thinking },
    }
    return data(
      { ...chunk({ role: 'assistant', content: one }), usage },
      { ...chunk({ role: 'assistant', content: two }, 'stop'), usage },
      '[DONE]',
    )
  },
  tooLong: {
    status: 400,
    body: [
      {
        error: {
          code: 400,
          message:
            'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).',
          status: 'INVALID_ARGUMENT',
        },
      },
    ],
  },
}

/** Moonshot reports usage in the last choice. @see https://platform.moonshot.ai/docs/api/chat */
const MOONSHOT: Vendor = {
  name: 'Moonshot',
  baseUrl: 'http://api.moonshot.ai/v1',
  key: 'sk-moonshot-local',
  model: 'kimi-k2-thinking',
  pricedAs: 'moonshotai',
  models: listOf('kimi-k2-thinking'),
  stream: (turn) => {
    const [one, two] = halves(turn.words)
    const usage = {
      ...sumsOf(turn),
      cached_tokens: turn.cached,
    }
    return data(
      chunk({ role: 'assistant', content: '' }),
      chunk({ reasoning_content: turn.thought }),
      chunk({ content: one }),
      chunk({ content: two }),
      chunk({}, 'stop', { usage }),
      '[DONE]',
    )
  },
  tooLong: {
    status: 400,
    body: {
      error: {
        type: 'invalid_request_error',
        message: 'Invalid request: Your request exceeded model token limit: 262144',
      },
    },
  },
}

/** @see https://github.com/ollama/ollama/blob/main/docs/openai.md */
const OLLAMA: Vendor = {
  name: 'Ollama',
  baseUrl: 'http://ollama.example/v1',
  key: 'ollama',
  model: 'qwen3:8b',
  env: { OPENAI_PRICES: 'qwen3:8b=1/2' },
  models: listOf('qwen3:8b', 'nomic-embed-text:latest'),
  stream: (turn) =>
    data(
      chunk({ role: 'assistant', content: '<thi' }),
      chunk({ role: 'assistant', content: `nk>${turn.thought}</th` }),
      chunk({ role: 'assistant', content: `ink>\n\n${turn.words}` }),
      chunk({ role: 'assistant', content: '' }, 'stop'),
      {
        ...chunk({}),
        choices: [],
        usage: sumsOf(turn),
      },
      '[DONE]',
    ),
  tooLong: {
    status: 400,
    body: {
      error: {
        message: 'the input length exceeds the context length',
        type: 'invalid_request_error',
        param: null,
        code: null,
      },
    },
  },
}

/** @see https://docs.vllm.ai/en/latest/serving/openai_compatible_server.html */
const VLLM: Vendor = {
  name: 'vLLM',
  baseUrl: 'http://vllm.example/v1',
  key: 'token-local',
  model: 'Qwen/Qwen3-8B',
  env: { OPENAI_PRICES: 'Qwen/Qwen3-8B=1/2' },
  models: {
    object: 'list',
    data: [
      {
        id: 'Qwen/Qwen3-8B',
        object: 'model',
        owned_by: 'vllm',
        max_model_len: 40_960,
        parent: null,
      },
    ],
  },
  stream: (turn) => {
    const [one, two] = halves(turn.words)
    const usage = {
      prompt_tokens: promptOf(turn),
      total_tokens: totalOf(turn),
      completion_tokens: completionOf(turn),
      prompt_tokens_details: null,
    }
    return data(
      chunk({ role: 'assistant', content: '' }),
      chunk({ reasoning_content: turn.thought }),
      { ...chunk({ content: one }), usage: { ...usage, completion_tokens: 2 } },
      { ...chunk({ content: two }, 'stop', { stop_reason: null }), usage },
      { ...chunk({}), choices: [], usage },
      '[DONE]',
    )
  },
  tooLong: {
    status: 400,
    body: {
      object: 'error',
      message:
        "This model's maximum context length is 40960 tokens. However, you requested 41056 tokens (36960 in the messages, 4096 in the completion). Please reduce the length of the messages or completion. None",
      type: 'BadRequestError',
      param: null,
      code: 400,
    },
  },
}

export const VENDORS: readonly Vendor[] = [
  OPENAI,
  OPENROUTER,
  MISTRAL,
  GROQ,
  DEEPSEEK,
  XAI,
  GEMINI,
  MOONSHOT,
  OLLAMA,
  VLLM,
]
