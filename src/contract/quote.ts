import { type Static, Type } from 'typebox'

/** Answer to `?quote=true`: nothing was asked for, held or charged. */
export const Quote = Type.Object(
  {
    quote: Type.Object({
      model: Type.String(),
      estimate_rub: Type.Number({ description: 'What would be taken first.' }),
      most_rub: Type.Number({ description: 'The most that it may cost in the end.' }),
      prompt_tokens: Type.Optional(
        Type.Integer({ minimum: 0, description: 'As they are estimated, of a chat.' }),
      ),
      max_tokens: Type.Optional(
        Type.Integer({ minimum: 1, description: 'The most tokens of an answer.' }),
      ),
    }),
  },
  {
    examples: [
      {
        quote: {
          model: 'alpha-large',
          estimate_rub: 0.1245,
          most_rub: 1.245,
          prompt_tokens: 24,
          max_tokens: 200,
        },
      },
    ],
  },
)
export type Quote = Static<typeof Quote>
