import { type Static, Type } from 'typebox'
import { PROMPT_CHARS_MAX } from './video.ts'

export const IMAGE_ASPECT_RATIOS = ['1:1', '16:9', '9:16'] as const
export type ImageAspectRatio = (typeof IMAGE_ASPECT_RATIOS)[number]

export const IMAGE_DEFAULTS = { aspect_ratio: '1:1' } as const

/** The label every image's fixed price goes by. */
export const IMAGE_LABEL = 'imagegen'

/** Body of `POST /images/imagegen-generate`. */
export const ImageRequest = Type.Object(
  {
    prompt: Type.String({ minLength: 1, maxLength: PROMPT_CHARS_MAX }),
    aspect_ratio: Type.Optional(Type.Enum(IMAGE_ASPECT_RATIOS)),
  },
  { examples: [{ prompt: 'A kopeck on a windowsill' }] },
)
export type ImageRequest = Static<typeof ImageRequest>
