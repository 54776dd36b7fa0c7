import { type Static, Type } from 'typebox'
import { httpUrl, keyName, modelName, roubles, text } from './service-config-fields.ts'
import { GenerationJson } from './service-config-generation-json.ts'
import { StorageJson } from './service-config-storage.ts'

const CONTEXT_TOKENS_MAX = 100_000_000
const CHAT_PROVIDER_TYPES = ['demo', 'openai'] as const

const tokens = Type.Integer({
  minimum: 1,
  maximum: CONTEXT_TOKENS_MAX,
  description: `a whole number of tokens from 1 to ${CONTEXT_TOKENS_MAX}`,
})
const ModelJson = Type.Object(
  {
    id: Type.String({
      pattern: '^[!-~]{1,200}$',
      description: 'a model id of 1 to 200 characters without spaces',
    }),
    family: text('a name of the family'),
    context_tokens: tokens,
    prompt_rub_per_1m: roubles,
    completion_rub_per_1m: roubles,
    default_max_tokens: Type.Optional(tokens),
    provider: Type.Object(
      {
        type: Type.Enum(CHAT_PROVIDER_TYPES, {
          description: `a known provider type: ${CHAT_PROVIDER_TYPES.join(' or ')}`,
        }),
        base_url: Type.Optional(httpUrl),
        api_key_env: Type.Optional(keyName),
        model: Type.Optional(modelName),
      },
      { additionalProperties: false, description: 'an object with the type of the provider' },
    ),
  },
  { additionalProperties: false, description: 'an object that describes a model' },
)
export type ModelJson = Static<typeof ModelJson>

/** The file that SERVICE_CONFIG names, as it is written. */
export const ServiceConfigJson = Type.Object(
  {
    chat: Type.Object(
      {
        models: Type.Array(ModelJson, { minItems: 1, description: 'a list of at least one model' }),
      },
      { additionalProperties: false, description: 'an object with the list models' },
    ),
    generation: Type.Optional(GenerationJson),
    storage: Type.Optional(StorageJson),
  },
  {
    additionalProperties: false,
    description: 'an object with chat and generation, perhaps storage',
  },
)
export type ServiceConfigJson = Static<typeof ServiceConfigJson>
