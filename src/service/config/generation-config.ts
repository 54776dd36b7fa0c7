import { type Static, type TSchema, Type } from 'typebox'
import { IMAGE_LABEL, SOUND_LABEL } from '../../contract/tasks.ts'
import * as field from './fields.ts'

const size = field.text("a size in the provider's words")
const openAi = {
  base_url: field.httpUrl,
  api_key_env: Type.Optional(field.keyName),
  model: field.modelName,
}
const relay = { base_url: field.httpUrl, api_key_env: field.keyName }

const VideoProvider = field.providerOf({
  demo: {},
  relay,
  runway: {
    base_url: Type.Optional(field.httpUrl),
    api_key_env: field.keyName,
    model: field.modelName,
  },
})
const ImageProvider = field.providerOf({
  demo: {},
  relay,
  openai: {
    ...openAi,
    sizes: Type.Optional(
      field.partial(
        { '1:1': size, '16:9': size, '9:16': size },
        'an object of aspect ratios and sizes',
      ),
    ),
  },
})
const SoundProvider = field.providerOf({
  demo: {},
  relay,
  openai: { ...openAi, voice: Type.Optional(field.text("a voice's name at the provider")) },
})

/** The offers by creation endpoint, its path below the version. An endpoint that is missing is not offered. */
export const GenerationConfig = field.partial(
  {
    'videos/vidgen-generate': endpoint(VideoProvider, [
      'vidgen-720p-5s',
      'vidgen-720p-10s',
      'vidgen-1080p-5s',
    ]),
    'images/imagegen-generate': endpoint(ImageProvider, [IMAGE_LABEL]),
    'sounds/soundgen-generate': endpoint(SoundProvider, [SOUND_LABEL]),
  },
  'an object of creation endpoints',
)
export type GenerationConfig = Static<typeof GenerationConfig>
export type GenerationOffer = NonNullable<GenerationConfig[keyof GenerationConfig]>

function endpoint<Provider extends TSchema>(provider: Provider, labels: readonly string[]) {
  return field.record(
    {
      prices_rub: Type.Unsafe<Readonly<Record<string, string>>>({
        type: 'object',
        properties: Object.fromEntries(labels.map((label) => [label, field.roubles])),
        additionalProperties: false,
        minProperties: 1,
        description: `an object of prices by label: ${labels.join(', ')}`,
      }),
      deadline_minutes: Type.Optional(field.whole(1, 24 * 60, 'of minutes ')),
      creation_seconds: Type.Optional(field.whole(1, 3600, 'of seconds ')),
      provider,
    },
    'an object with prices_rub and provider',
  )
}
