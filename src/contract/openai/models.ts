import { type Static, Type } from 'typebox'

const EXAMPLE = { id: 'alpha-large', object: 'model', created: 0, owned_by: 'A' }

/** Answer of `GET /models/{model}`. */
export const OpenAiModel = Type.Object(
  {
    id: Type.String(),
    object: Type.Literal('model'),
    created: Type.Literal(0, { description: 'Not known here.' }),
    owned_by: Type.String({ description: 'The family of the model.' }),
  },
  { examples: [EXAMPLE] },
)
export type OpenAiModel = Static<typeof OpenAiModel>

/** Answer of `GET /models`; the prices are in `GET /chats/models`. */
export const OpenAiModels = Type.Object(
  { object: Type.Literal('list'), data: Type.Array(OpenAiModel) },
  { examples: [{ object: 'list', data: [EXAMPLE] }] },
)
export type OpenAiModels = Static<typeof OpenAiModels>
