import { type Static, Type } from 'typebox'

/** Answer of `GET /callback/secret`: the account's permanent secret for checking callback signatures. */
export const CallbackSecret = Type.Object({ secret: Type.String() })
export type CallbackSecret = Static<typeof CallbackSecret>
