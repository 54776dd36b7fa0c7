import { type Static, Type } from 'typebox'
import { PROMPT_CHARS_MAX } from './video.ts'

export const SOUND_SECONDS_MAX = 30

export const SOUND_DEFAULTS = { duration: 5 } as const

/** The label every sound's fixed price goes by. */
export const SOUND_LABEL = 'soundgen'

/** Body of `POST /sounds/soundgen-generate`. */
export const SoundRequest = Type.Object(
  {
    prompt: Type.String({ minLength: 1, maxLength: PROMPT_CHARS_MAX }),
    duration: Type.Optional(Type.Integer({ minimum: 1, maximum: SOUND_SECONDS_MAX })),
  },
  { examples: [{ prompt: 'A kopeck falls on a stone floor' }] },
)
export type SoundRequest = Static<typeof SoundRequest>
