import { type Static, Type } from 'typebox'

/** Body of every refusal to OpenAI's clients, and the event that ends a stream which broke. */
export const OpenAiError = Type.Object({
  error: Type.Object({
    message: Type.String(),
    type: Type.String(),
    param: Type.Union([Type.String(), Type.Null()]),
    code: Type.Union([Type.String(), Type.Null()]),
  }),
})
export type OpenAiError = Static<typeof OpenAiError>
