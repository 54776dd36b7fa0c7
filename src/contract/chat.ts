import { type Static, Type } from 'typebox'

const CHAT_ROLES = ['system', 'user', 'assistant'] as const

/** One message of the history that the model reads. */
export const ChatMessage = Type.Object({
  role: Type.Enum(CHAT_ROLES),
  content: Type.String({ minLength: 1 }),
})
export type ChatMessage = Static<typeof ChatMessage>

/** Body of `POST /chats/completions`. Unknown fields are ignored; `stream: null` is as omitted. */
export const ChatRequest = Type.Object(
  {
    model: Type.String({ minLength: 1 }),
    messages: Type.Array(ChatMessage, { minItems: 1 }),
    max_tokens: Type.Optional(Type.Union([Type.Integer({ minimum: 1 }), Type.Null()])),
    stream: Type.Optional(Type.Union([Type.Boolean(), Type.Null()])),
  },
  {
    examples: [
      {
        model: 'alpha-large',
        messages: [
          { role: 'system', content: 'Answer in one sentence.' },
          { role: 'user', content: 'What is a kopeck?' },
        ],
        max_tokens: 200,
      },
    ],
  },
)
export type ChatRequest = Static<typeof ChatRequest>

/** Tokens that went in and came out, as the provider counted them. */
export const ChatUsage = Type.Object({
  prompt_tokens: Type.Integer({ minimum: 0 }),
  completion_tokens: Type.Integer({ minimum: 0 }),
  total_tokens: Type.Integer({ minimum: 0 }),
  prompt_tokens_details: Type.Optional(
    Type.Object({
      cached_tokens: Type.Integer({
        minimum: 0,
        description: 'Those of the prompt that the provider had cached, where it tells them.',
      }),
    }),
  ),
  completion_tokens_details: Type.Optional(
    Type.Object({
      reasoning_tokens: Type.Integer({
        minimum: 0,
        description:
          'Those of the completion that the model thought with, where the provider tells them.',
      }),
    }),
  ),
})
export type ChatUsage = Static<typeof ChatUsage>

const REASONING = 'What the model thought before it answered, where it tells.'

/** Plain answer of `POST /chats/completions`. `cost_coins` repeats `cost_rub` for old clients. */
export const ChatResponse = Type.Object(
  {
    request_id: Type.String(),
    model: Type.String(),
    content: Type.String(),
    reasoning_content: Type.Optional(Type.String({ description: REASONING })),
    finish_reason: Type.String(),
    usage: ChatUsage,
    cost_rub: Type.Number(),
    cost_coins: Type.Number(),
  },
  {
    examples: [
      {
        request_id: '0b6f0f6e-3c0f-4f0e-9d53-6f1f2f0d7a11',
        model: 'alpha-large',
        content: 'A hundredth of a rouble.',
        finish_reason: 'stop',
        usage: { prompt_tokens: 24, completion_tokens: 7, total_tokens: 31 },
        cost_rub: 0.0078,
        cost_coins: 0.0078,
      },
    ],
  },
)
export type ChatResponse = Static<typeof ChatResponse>

/** One event of a streamed answer; the last one carries `finish_reason`, `usage` and the cost. */
export const ChatChunk = Type.Object({
  id: Type.String(),
  object: Type.Literal('chat.completion.chunk'),
  model: Type.String(),
  choices: Type.Array(
    Type.Object({
      index: Type.Integer(),
      delta: Type.Object({
        content: Type.Optional(Type.String()),
        reasoning_content: Type.Optional(Type.String({ description: REASONING })),
        refusal: Type.Optional(
          Type.String({
            description: 'The words of `content` again, if the model refused to answer.',
          }),
        ),
      }),
      finish_reason: Type.Union([Type.String(), Type.Null()]),
    }),
  ),
  usage: Type.Optional(ChatUsage),
  cost_rub: Type.Optional(Type.Number()),
  cost_coins: Type.Optional(Type.Number()),
})
export type ChatChunk = Static<typeof ChatChunk>

/** The event that ends a stream which broke after its first delta. */
export const ChatStreamError = Type.Object({ error: Type.Object({ message: Type.String() }) })
export type ChatStreamError = Static<typeof ChatStreamError>

/** Data of the event that ends every whole stream. */
export const STREAM_DONE = '[DONE]'
