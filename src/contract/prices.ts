import { type Static, Type } from 'typebox'

/** Answer of `GET /prices`: what each task costs, decimal roubles by label. What is missing is not offered. */
export const Prices = Type.Object(
  { prices_rub: Type.Record(Type.String(), Type.Number()) },
  { examples: [{ prices_rub: { 'vidgen-720p-5s': 40, imagegen: 5, soundgen: 3 } }] },
)
export type Prices = Static<typeof Prices>
