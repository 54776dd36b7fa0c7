import { type Static, Type } from 'typebox'

/** Answer of `GET /balance`. */
export const Balance = Type.Object({ balance_rub: Type.Number() })
export type Balance = Static<typeof Balance>
