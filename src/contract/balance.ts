import { type Static, Type } from 'typebox'

/** Answer of `GET /balance`. */
export const Balance = Type.Object(
  { balance_rub: Type.Number() },
  { examples: [{ balance_rub: 99.9922 }] },
)
export type Balance = Static<typeof Balance>
