import { type Static, Type } from 'typebox'
import { ChatUsage } from '../chat.ts'

const FinishReason = Type.Enum(['stop', 'length', 'content_filter', 'tool_calls'])

const Reasoning = Type.String({
  description: 'Not OpenAI’s: what the model thought before it answered, where it tells.',
})

/** A call of one of the client's tools. Its arguments are a text as the model wrote it, JSON if all went well. */
const ToolCall = Type.Object({
  id: Type.String(),
  type: Type.String(),
  function: Type.Object({ name: Type.String(), arguments: Type.String() }),
})

/** A piece of a call: the first of each index has id and name, all together have the arguments. */
const ToolCallPiece = Type.Object({
  index: Type.Integer({ minimum: 0 }),
  id: Type.Optional(Type.String()),
  type: Type.Optional(Type.String()),
  function: Type.Object({
    name: Type.Optional(Type.String()),
    arguments: Type.Optional(Type.String()),
  }),
})

const Logprobs = Type.Union([Type.Object({}), Type.Null()], {
  description: 'As the provider gave them.',
})

/** Plain answer of `POST /chat/completions`. `cost_rub` is not OpenAI's: what the answer cost. */
export const OpenAiCompletion = Type.Object(
  {
    id: Type.String(),
    object: Type.Literal('chat.completion'),
    created: Type.Integer({ description: 'Unix seconds.' }),
    model: Type.String(),
    choices: Type.Array(
      Type.Object({
        index: Type.Literal(0),
        message: Type.Object({
          role: Type.Literal('assistant'),
          content: Type.Union([Type.String(), Type.Null()]),
          reasoning_content: Type.Optional(Reasoning),
          refusal: Type.Union([Type.String(), Type.Null()]),
          tool_calls: Type.Optional(Type.Array(ToolCall)),
        }),
        logprobs: Logprobs,
        finish_reason: FinishReason,
      }),
    ),
    usage: ChatUsage,
    cost_rub: Type.Number(),
  },
  {
    examples: [
      {
        id: '0b6f0f6e-3c0f-4f0e-9d53-6f1f2f0d7a11',
        object: 'chat.completion',
        created: 1_763_800_000,
        model: 'alpha-large',
        choices: [
          {
            index: 0,
            message: { role: 'assistant', content: 'A hundredth of a rouble.', refusal: null },
            logprobs: null,
            finish_reason: 'stop',
          },
        ],
        usage: { prompt_tokens: 24, completion_tokens: 7, total_tokens: 31 },
        cost_rub: 0.0078,
      },
    ],
  },
)
export type OpenAiCompletion = Static<typeof OpenAiCompletion>

/**
 * One event of a streamed answer. With `stream_options.include_usage` a last one has no choices, but the
 * usage and the cost; in those before it `usage` is null.
 */
export const OpenAiCompletionChunk = Type.Object({
  id: Type.String(),
  object: Type.Literal('chat.completion.chunk'),
  created: Type.Integer(),
  model: Type.String(),
  choices: Type.Array(
    Type.Object({
      index: Type.Literal(0),
      delta: Type.Object({
        role: Type.Optional(Type.Literal('assistant')),
        content: Type.Optional(Type.Union([Type.String(), Type.Null()])),
        reasoning_content: Type.Optional(Reasoning),
        refusal: Type.Optional(Type.String()),
        tool_calls: Type.Optional(Type.Array(ToolCallPiece)),
      }),
      logprobs: Type.Optional(Logprobs),
      finish_reason: Type.Union([FinishReason, Type.Null()]),
    }),
  ),
  usage: Type.Optional(Type.Union([ChatUsage, Type.Null()])),
  cost_rub: Type.Optional(Type.Number()),
})
export type OpenAiCompletionChunk = Static<typeof OpenAiCompletionChunk>
