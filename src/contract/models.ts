import { type Static, Type } from 'typebox'

/** One chat model with its prices: decimal roubles per 1 million tokens, input and output separate. */
const ChatModel = Type.Object({
  id: Type.String(),
  family: Type.String(),
  context_tokens: Type.Integer({ minimum: 1 }),
  prompt_rub_per_1m: Type.Number(),
  cached_prompt_rub_per_1m: Type.Optional(
    Type.Number({
      description: 'Of input that the provider had cached; without it that of all input.',
    }),
  ),
  completion_rub_per_1m: Type.Number(),
  thinking_tokens: Type.Optional(
    Type.Integer({
      minimum: 1,
      description: 'What is held for thoughts beside the answer; without it nothing is.',
    }),
  ),
})

/** Answer of `GET /chats/models`. */
export const ChatModels = Type.Object(
  { models: Type.Array(ChatModel) },
  {
    examples: [
      {
        models: [
          {
            id: 'alpha-large',
            family: 'A',
            context_tokens: 1_000_000,
            prompt_rub_per_1m: 150,
            cached_prompt_rub_per_1m: 15,
            completion_rub_per_1m: 600,
          },
        ],
      },
    ],
  },
)
export type ChatModels = Static<typeof ChatModels>
