import { type Static, Type } from 'typebox'

const CONTEXT_TOKENS_MAX = 100_000_000
const CHAT_PROVIDER_TYPES = ['demo', 'openai'] as const
const VIDEO_PROVIDER_TYPES = ['demo'] as const

// A description says what a value should be; a problem is its path and that.
const text = (description: string) => Type.String({ minLength: 1, description })
const tokens = Type.Integer({
  minimum: 1,
  maximum: CONTEXT_TOKENS_MAX,
  description: `a whole number of tokens from 1 to ${CONTEXT_TOKENS_MAX}`,
})
const roubles = Type.String({
  pattern: '^[0-9]{1,9}(\\.[0-9]{1,6})?$',
  description: 'a decimal number of roubles written as a string, at most 6 places',
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
        base_url: Type.Optional(text('an http or https URL')),
        api_key_env: Type.Optional(text('the name of an environment variable')),
        model: Type.Optional(text("the model's name at the provider")),
      },
      { additionalProperties: false, description: 'an object with the type of the provider' },
    ),
  },
  { additionalProperties: false, description: 'an object that describes a model' },
)
export type ModelJson = Static<typeof ModelJson>

const VideoJson = Type.Object(
  {
    prices_rub: Type.Object(
      { 'vidgen-720p-5s': roubles, 'vidgen-720p-10s': roubles, 'vidgen-1080p-5s': roubles },
      { additionalProperties: false, description: 'an object of labels and prices' },
    ),
    provider: Type.Object(
      {
        type: Type.Enum(VIDEO_PROVIDER_TYPES, {
          description: `a known provider type: ${VIDEO_PROVIDER_TYPES.join(' or ')}`,
        }),
      },
      { additionalProperties: false, description: 'an object with the type of the provider' },
    ),
  },
  { additionalProperties: false, description: 'an object with prices_rub and provider' },
)

/** The file that SERVICE_CONFIG names, as it is written. */
export const ServiceConfigJson = Type.Object(
  {
    chat: Type.Object(
      {
        models: Type.Array(ModelJson, { minItems: 1, description: 'a list of at least one model' }),
      },
      { additionalProperties: false, description: 'an object with the list models' },
    ),
    generation: Type.Optional(
      Type.Object(
        { 'videos/vidgen-generate': Type.Optional(VideoJson) },
        { additionalProperties: false, description: 'an object of creation endpoints' },
      ),
    ),
  },
  { additionalProperties: false, description: 'an object with chat and generation' },
)
export type ServiceConfigJson = Static<typeof ServiceConfigJson>
