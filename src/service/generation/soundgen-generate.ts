import { SOUND_LABEL, SoundRequest } from '../../contract/sound.ts'
import { createEndpoint, type Endpoint, type Offer } from './endpoint.ts'

/** A demo sound is there at once; others take seconds. */
const CHECK_INTERVAL_MS = 2000

/** `POST /sounds/soundgen-generate`: a sound from text. */
export function createSoundgenEndpoint(offer: Offer<SoundRequest>): Endpoint {
  return createEndpoint({
    path: 'sounds/soundgen-generate',
    schema: SoundRequest,
    findProblems: () => [],
    label: () => SOUND_LABEL,
    ...offer,
    extension: 'mp3',
    checkIntervalMs: CHECK_INTERVAL_MS,
  })
}
