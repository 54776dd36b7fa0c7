/** Wire format of OpenAI's endpoints. Unknown fields are refused by name: the answer may depend on them. */
import { type Static, type TSchema, Type } from 'typebox'
import { type ChatMessage, ChatUsage, nullable, optional } from './chat.ts'

const STRICT = { additionalProperties: false }
const Text = Type.String()
const NonEmptyText = Type.String({ minLength: 1 })
const OptionalText = Type.Optional(Text)

/** One of several objects, chosen by one field: an unknown value of that field is refused by name. */
function oneBy<Schemas extends TSchema[]>(propertyName: string, oneOf: [...Schemas]) {
  return Type.Unsafe<Static<Schemas[number]>>({
    type: 'object',
    discriminator: { propertyName },
    oneOf,
    required: [propertyName],
  })
}

const FunctionName = Type.String({
  pattern: '^[A-Za-z0-9_.:/-]{1,128}$',
  description: 'A name of 1 to 128 letters, digits and the signs _ . : / -',
})

const Tool = oneBy('type', [
  Type.Object({
    type: Type.Literal('function'),
    function: Type.Object({
      name: FunctionName,
      description: optional(Text),
      parameters: optional(Type.Object({})),
      strict: optional(Type.Boolean()),
    }),
  }),
])

const ToolChoice = Type.Union([
  Type.Enum(['none', 'auto', 'required']),
  Type.Object({ type: Type.Literal('function'), function: Type.Object({ name: FunctionName }) }),
])

const ResponseFormat = oneBy('type', [
  Type.Object({ type: Type.Literal('text') }),
  Type.Object({ type: Type.Literal('json_object') }),
  Type.Object({
    type: Type.Literal('json_schema'),
    json_schema: Type.Object({
      name: Type.String({ minLength: 1, maxLength: 128 }),
      description: optional(Text),
      schema: optional(Type.Object({})),
      strict: optional(Type.Boolean()),
    }),
  }),
])

const CalledTool = Type.Object({
  id: NonEmptyText,
  type: Type.Literal('function'),
  function: Type.Object({ name: FunctionName, arguments: Text }),
})
export type ToolCall = Static<typeof CalledTool>

const TextPart = Type.Object({ type: Type.Literal('text'), text: Text })
const Content = Type.Union([
  Text,
  Type.Array(oneBy('type', [TextPart]), {
    minItems: 1,
    description: 'The texts are joined, each on a line of its own.',
  }),
])
const Name = optional(
  Type.String({ pattern: '^[^\\s<|\\\\/>]{1,64}$', description: 'One of several speakers.' }),
)

const Message = oneBy('role', [
  Type.Object({ role: Type.Enum(['system', 'developer', 'user']), content: Content, name: Name }),
  Type.Object({
    role: Type.Literal('assistant'),
    tool_calls: optional(Type.Array(CalledTool)),
    content: optional(Content),
    name: Name,
    refusal: Type.Optional(Type.Null()),
    audio: Type.Optional(Type.Null()),
    function_call: Type.Optional(Type.Null()),
    /** Models that think between two calls read their earlier thoughts. */
    reasoning_content: optional(Text),
  }),
  Type.Object({ role: Type.Literal('tool'), tool_call_id: NonEmptyText, content: Content }),
])

/** Fields that shape the answer: they are passed on to the provider unchanged unless they are empty. */
const PARAMETERS = {
  temperature: optional(Type.Number({ minimum: 0, maximum: 2 })),
  top_p: optional(Type.Number({ minimum: 0, maximum: 1 })),
  presence_penalty: optional(Type.Number({ minimum: -2, maximum: 2 })),
  frequency_penalty: optional(Type.Number({ minimum: -2, maximum: 2 })),
  seed: optional(Type.Integer()),
  stop: optional(Type.Union([Text, Type.Array(NonEmptyText, { maxItems: 4 })])),
  reasoning_effort: optional(Type.String({ maxLength: 32 })),
  verbosity: optional(Type.String({ maxLength: 32 })),
  tools: optional(Type.Array(Tool)),
  tool_choice: optional(ToolChoice),
  parallel_tool_calls: optional(Type.Boolean()),
  response_format: optional(ResponseFormat),
}
export const OPENAI_PARAMETERS = Object.keys(PARAMETERS) as (keyof OpenAiParameters)[]

const WITHOUT_EFFECT = {
  user: optional(Text),
  safety_identifier: optional(Text),
  metadata: optional(Type.Object({})),
  prompt_cache_key: optional(Text),
  prompt_cache_retention: optional(Text),
  store: optional(Type.Boolean()),
  service_tier: optional(Text),
}

/** Unsupported fields: only the values that ask for nothing are accepted. */
const UNSUPPORTED = {
  n: optional(Type.Literal(1)),
  functions: optional(Type.Array(Type.Unknown(), { maxItems: 0 })),
  function_call: optional(Type.Enum(['none', 'auto'])),
  modalities: optional(Type.Array(Type.Literal('text'))),
  audio: Type.Optional(Type.Null()),
  prediction: Type.Optional(Type.Null()),
  web_search_options: Type.Optional(Type.Null()),
  logit_bias: optional(Type.Object({}, STRICT)),
  logprobs: optional(Type.Literal(false)),
  top_logprobs: optional(Type.Literal(0)),
}
export const OPENAI_UNSUPPORTED: readonly string[] = Object.keys(UNSUPPORTED)

const StreamOptions = Type.Object(
  { include_usage: optional(Type.Boolean()), include_obfuscation: optional(Type.Boolean()) },
  STRICT,
)

/** Body of `POST /chat/completions`. */
export const OpenAiChatRequest = Type.Object(
  {
    model: NonEmptyText,
    messages: Type.Array(Message, { minItems: 1 }),
    max_completion_tokens: optional(Type.Integer({ minimum: 1 })),
    max_tokens: optional(
      Type.Integer({ minimum: 1, description: 'The older name of `max_completion_tokens`.' }),
    ),
    stream: optional(Type.Boolean()),
    stream_options: optional(StreamOptions),
    ...PARAMETERS,
    ...WITHOUT_EFFECT,
    ...UNSUPPORTED,
  },
  STRICT,
)
export type OpenAiChatRequest = Static<typeof OpenAiChatRequest>
export type OpenAiParameters = Pick<OpenAiChatRequest, keyof typeof PARAMETERS>
export type DefinitionParameters = Pick<OpenAiParameters, 'tools' | 'response_format'>

export type PromptMessage =
  | (ChatMessage & { name?: string })
  | {
      role: 'assistant'
      content: string | null
      tool_calls: ToolCall[]
      reasoning_content?: string
      name?: string
    }
  | { role: 'tool'; content: string; tool_call_id: string; name?: never }

const FinishReason = Type.Enum(['stop', 'length', 'content_filter', 'tool_calls'])
const Reasoning = Type.String({
  description: 'Not OpenAI’s: the thoughts before the answer, if the model reports them.',
})

const AnsweredCall = Type.Object({
  id: Text,
  type: Text,
  function: Type.Object({ name: Text, arguments: Text }),
})

const AnswerMessage = Type.Object({
  role: Type.Literal('assistant'),
  content: nullable(Text),
  reasoning_content: Type.Optional(Reasoning),
  refusal: nullable(Text),
  tool_calls: Type.Optional(Type.Array(AnsweredCall)),
})

/** Plain answer of `POST /chat/completions`. `cost_rub` is not OpenAI's: what the answer cost. */
export const OpenAiCompletion = Type.Object({
  id: Text,
  object: Type.Literal('chat.completion'),
  created: Type.Integer({ description: 'Unix seconds.' }),
  model: Text,
  choices: Type.Array(
    Type.Object({
      index: Type.Literal(0),
      message: AnswerMessage,
      logprobs: Type.Null(),
      finish_reason: FinishReason,
    }),
  ),
  usage: ChatUsage,
  cost_rub: Type.Number(),
})
export type OpenAiCompletion = Static<typeof OpenAiCompletion>

/** A piece of a tool call: the first of each index has id and name, all together have the arguments. */
const ToolCallPiece = Type.Object({
  index: Type.Integer({ minimum: 0 }),
  id: OptionalText,
  type: OptionalText,
  function: Type.Object({ name: OptionalText, arguments: OptionalText }),
})

/** One event of a streamed answer. With `include_usage`, usage and cost come in a last event without choices. */
export const OpenAiCompletionChunk = Type.Object({
  id: Text,
  object: Type.Literal('chat.completion.chunk'),
  created: Type.Integer(),
  model: Text,
  choices: Type.Array(
    Type.Object({
      index: Type.Literal(0),
      delta: Type.Object({
        role: Type.Optional(Type.Literal('assistant')),
        content: optional(Text),
        reasoning_content: Type.Optional(Reasoning),
        refusal: OptionalText,
        tool_calls: Type.Optional(Type.Array(ToolCallPiece)),
      }),
      finish_reason: nullable(FinishReason),
    }),
  ),
  usage: optional(ChatUsage),
  cost_rub: Type.Optional(Type.Number()),
})
export type OpenAiCompletionChunk = Static<typeof OpenAiCompletionChunk>

/** Body of every refusal to OpenAI's clients, and the event that ends a stream which broke. */
export const OpenAiError = Type.Object({
  error: Type.Object({ message: Text, type: Text, param: nullable(Text), code: nullable(Text) }),
})
export type OpenAiError = Static<typeof OpenAiError>

export const OpenAiModel = Type.Object({
  id: Text,
  object: Type.Literal('model'),
  created: Type.Literal(0, { description: 'Unknown to the service.' }),
  owned_by: Type.String({ description: 'The family of the model.' }),
})
export type OpenAiModel = Static<typeof OpenAiModel>

/** Answer of `GET /models`; the prices are in `GET /chats/models`. */
export const OpenAiModels = Type.Object({
  object: Type.Literal('list'),
  data: Type.Array(OpenAiModel),
})
export type OpenAiModels = Static<typeof OpenAiModels>
