import { type Static, Type } from 'typebox'

const Rate = Type.Object({
  requests_per_minute: Type.Integer({ minimum: 1 }),
  requests_left: Type.Integer({ minimum: 0, description: 'How many more there may be just now.' }),
})

/** Answer of `GET /key`: what an API key may do, and what it has done; null where it has no such term. */
export const KeyFacts = Type.Object(
  {
    key_id: Type.String({ description: 'The part of the key that is no secret.' }),
    name: Type.Union([Type.String(), Type.Null()]),
    expires_at: Type.Union([Type.String(), Type.Null()]),
    models: Type.Union([Type.Array(Type.String()), Type.Null()], {
      description: 'The only models that it may use.',
    }),
    spend_limit_rub: Type.Union([Type.Number(), Type.Null()]),
    spend_period: Type.Union([Type.Enum(['day', 'month']), Type.Null()], {
      description: 'When the limit begins again.',
    }),
    renews_at: Type.Union([Type.String(), Type.Null()]),
    spent_rub: Type.Number({ description: 'In all.' }),
    period_spent_rub: Type.Union([Type.Number(), Type.Null()], {
      description: 'By requests that began in this period.',
    }),
    left_rub: Type.Union([Type.Number(), Type.Null()], {
      description: 'Of the limit. The balance of the account may be less.',
    }),
    rate: Type.Union([Rate, Type.Null()], {
      description: 'How many chats the key may ask for by a rate of its own.',
    }),
    rates: Type.Record(Type.String(), Rate, {
      description: 'How often the account may ask, by path: all of its keys together.',
    }),
  },
  {
    examples: [
      {
        key_id: '5d41402abc4b2a76',
        name: 'shop',
        expires_at: '2027-01-31T21:00:00.000Z',
        models: null,
        spend_limit_rub: 500,
        spend_period: 'month',
        renews_at: '2026-12-31T21:00:00.000Z',
        spent_rub: 1620.75,
        period_spent_rub: 120.5,
        left_rub: 379.5,
        rate: { requests_per_minute: 10, requests_left: 10 },
        rates: { 'chats/completions': { requests_per_minute: 30, requests_left: 29 } },
      },
    ],
  },
)
export type KeyFacts = Static<typeof KeyFacts>
