import { type Static, Type } from 'typebox'
import { oneBy, optional } from './schema.ts'
import { TOOL_PARAMETERS, ToolCall } from './tools.ts'

/** An unknown field is refused by name: the answer may depend on it, or it is the limit, misspelt. */
const STRICT = { additionalProperties: false }
const NOTHING = Type.Array(Type.Unknown(), { maxItems: 0 })

const TEXT = Type.String()
const PARTS = Type.Array(oneBy('type', [Type.Object({ type: Type.Literal('text'), text: TEXT })]), {
  minItems: 1,
  description: 'The texts are joined, each on a line of its own.',
})

const Name = optional(
  Type.String({ pattern: '^[^\\s<|\\\\/>]{1,64}$', description: 'Who of several speaks.' }),
)

const PromptMessage = Type.Object({
  role: Type.Enum(['system', 'developer', 'user']),
  content: Type.Union([TEXT, PARTS]),
  name: Name,
})

const AnswerMessage = Type.Object({
  role: Type.Literal('assistant'),
  tool_calls: optional(Type.Array(ToolCall)),
  content: optional(Type.Union([TEXT, PARTS])),
  name: Name,
  refusal: Type.Optional(Type.Null()),
  audio: Type.Optional(Type.Null()),
  function_call: Type.Optional(Type.Null()),
  /** Models that think between two calls read what they thought. */
  reasoning_content: optional(Type.String()),
})

const ToolMessage = Type.Object({
  role: Type.Literal('tool'),
  tool_call_id: Type.String({ minLength: 1 }),
  content: Type.Union([TEXT, PARTS]),
})

/** Fields that shape the answer: they go on to the provider as they are, if they are not empty. */
const PARAMETERS = {
  temperature: optional(Type.Number({ minimum: 0, maximum: 2 })),
  top_p: optional(Type.Number({ minimum: 0, maximum: 1 })),
  presence_penalty: optional(Type.Number({ minimum: -2, maximum: 2 })),
  frequency_penalty: optional(Type.Number({ minimum: -2, maximum: 2 })),
  seed: optional(Type.Integer()),
  stop: optional(
    Type.Union([Type.String(), Type.Array(Type.String({ minLength: 1 }), { maxItems: 4 })]),
  ),
  reasoning_effort: optional(Type.String({ maxLength: 32 })),
  verbosity: optional(Type.String({ maxLength: 32 })),
  logprobs: optional(Type.Boolean()),
  top_logprobs: optional(Type.Integer({ minimum: 0, maximum: 20 })),
  ...TOOL_PARAMETERS,
}
export const OPENAI_PARAMETERS = Object.keys(PARAMETERS) as (keyof OpenAiParameters)[]

const WITHOUT_EFFECT = {
  user: optional(Type.String()),
  safety_identifier: optional(Type.String()),
  metadata: optional(Type.Object({})),
  prompt_cache_key: optional(Type.String()),
  prompt_cache_retention: optional(Type.String()),
  store: optional(Type.Boolean()),
  service_tier: optional(Type.String()),
}

/** Wishes that cannot be fulfilled here: only the values that ask for nothing are taken. */
const UNSUPPORTED = {
  n: optional(Type.Literal(1)),
  functions: optional(NOTHING),
  function_call: optional(Type.Enum(['none', 'auto'])),
  modalities: optional(Type.Array(Type.Literal('text'))),
  audio: Type.Optional(Type.Null()),
  prediction: Type.Optional(Type.Null()),
  web_search_options: Type.Optional(Type.Null()),
  logit_bias: optional(Type.Object({}, STRICT)),
}
export const OPENAI_UNSUPPORTED: readonly string[] = Object.keys(UNSUPPORTED)

/** Body of `POST /chat/completions`, OpenAI's shape of a chat request. */
export const OpenAiChatRequest = Type.Object(
  {
    model: Type.String({ minLength: 1 }),
    messages: Type.Array(oneBy('role', [PromptMessage, AnswerMessage, ToolMessage]), {
      minItems: 1,
    }),
    max_completion_tokens: optional(Type.Integer({ minimum: 1 })),
    max_tokens: optional(
      Type.Integer({ minimum: 1, description: 'The older name of `max_completion_tokens`.' }),
    ),
    stream: optional(Type.Boolean()),
    stream_options: optional(
      Type.Object(
        {
          include_usage: optional(Type.Boolean()),
          include_obfuscation: optional(Type.Boolean()),
        },
        STRICT,
      ),
    ),
    ...PARAMETERS,
    ...WITHOUT_EFFECT,
    ...UNSUPPORTED,
  },
  {
    ...STRICT,
    examples: [
      {
        model: 'alpha-large',
        messages: [
          { role: 'developer', content: 'Answer in one sentence.' },
          { role: 'user', content: [{ type: 'text', text: 'What is a kopeck?' }] },
        ],
        max_completion_tokens: 200,
        temperature: 0.5,
      },
    ],
  },
)
export type OpenAiChatRequest = Static<typeof OpenAiChatRequest>
export type OpenAiParameters = Pick<OpenAiChatRequest, keyof typeof PARAMETERS>
