import { type Static, type TProperties, type TSchema, Type } from 'typebox'
import { IMAGE_LABEL } from '../../contract/image.ts'
import { SOUND_LABEL } from '../../contract/sound.ts'
import { httpUrl, keyName, modelName, roubles, text } from './service-config-fields.ts'

const DEADLINE_MINUTES_MAX = 24 * 60

const size = Type.Optional(text("a size in the provider's words"))

const DemoJson = provider('demo', {})
const RelayJson = provider('relay', { base_url: httpUrl, api_key_env: keyName })
const RunwayJson = provider('runway', {
  base_url: Type.Optional(httpUrl),
  api_key_env: keyName,
  model: modelName,
})
const OpenAiImageJson = provider('openai', {
  base_url: httpUrl,
  api_key_env: Type.Optional(keyName),
  model: modelName,
  sizes: Type.Optional(
    Type.Object(
      { '1:1': size, '16:9': size, '9:16': size },
      { additionalProperties: false, description: 'an object of aspect ratios and sizes' },
    ),
  ),
})
const OpenAiSoundJson = provider('openai', {
  base_url: httpUrl,
  api_key_env: Type.Optional(keyName),
  model: modelName,
  voice: Type.Optional(text("a voice's name at the provider")),
})

export type VideoProviderJson = Static<typeof DemoJson | typeof RelayJson | typeof RunwayJson>
export type ImageProviderJson = Static<typeof DemoJson | typeof RelayJson | typeof OpenAiImageJson>
export type SoundProviderJson = Static<typeof DemoJson | typeof RelayJson | typeof OpenAiSoundJson>

/** The part `generation` of the file that SERVICE_CONFIG names. */
export const GenerationJson = Type.Object(
  {
    'videos/vidgen-generate': endpoint<VideoProviderJson>({
      labels: ['vidgen-720p-5s', 'vidgen-720p-10s', 'vidgen-1080p-5s'],
      providers: { demo: DemoJson, relay: RelayJson, runway: RunwayJson },
    }),
    'images/imagegen-generate': endpoint<ImageProviderJson>({
      labels: [IMAGE_LABEL],
      providers: { demo: DemoJson, relay: RelayJson, openai: OpenAiImageJson },
    }),
    'sounds/soundgen-generate': endpoint<SoundProviderJson>({
      labels: [SOUND_LABEL],
      providers: { demo: DemoJson, relay: RelayJson, openai: OpenAiSoundJson },
    }),
  },
  { additionalProperties: false, description: 'an object of creation endpoints' },
)
export type GenerationJson = Static<typeof GenerationJson>

function provider<Name extends string, Fields extends TProperties>(name: Name, fields: Fields) {
  return Type.Object({ type: Type.Literal(name), ...fields }, { additionalProperties: false })
}

function endpoint<Provider>({
  labels,
  providers,
}: {
  labels: readonly string[]
  providers: Readonly<Record<string, TSchema>>
}) {
  const description = `an object of prices by label: ${labels.join(', ')}`
  return Type.Optional(
    Type.Object(
      {
        prices_rub: Type.Unsafe<Record<string, string>>({
          type: 'object',
          properties: Object.fromEntries(labels.map((label) => [label, roubles])),
          additionalProperties: false,
          minProperties: 1,
          description,
        }),
        deadline_minutes: Type.Optional(
          Type.Integer({
            minimum: 1,
            maximum: DEADLINE_MINUTES_MAX,
            description: `a whole number of minutes from 1 to ${DEADLINE_MINUTES_MAX}`,
          }),
        ),
        // Only the schema of the type that is named has its problems told.
        provider: Type.Unsafe<Provider>({
          type: 'object',
          required: ['type'],
          properties: {
            type: {
              type: 'string',
              description: `a known provider type: ${Object.keys(providers).join(', ')}`,
            },
          },
          discriminator: { propertyName: 'type' },
          oneOf: Object.values(providers),
          description: 'an object with the type of the provider',
        }),
      },
      { additionalProperties: false, description: 'an object with prices_rub and provider' },
    ),
  )
}
