import { createHash } from 'node:crypto'
import { type Static, Type } from 'typebox'
import { SOUND_DEFAULTS, SOUND_SECONDS_MAX, type SoundRequest } from '../../../contract/sound.ts'
import { createGuard } from '../../config/guard.ts'
import type { GenerationProvider, GenerationState, GenerationStep } from '../provider.ts'
import { DAMAGED } from '../submission.ts'
import { playMelody } from './melody.ts'
import { writeWav } from './wav.ts'

const SAMPLES_PER_SECOND = 22_050
/** Then the melody begins anew. */
const NOTES = 32

const DemoSound = Type.Object({
  notes: Type.Array(Type.Integer({ minimum: 0, maximum: 255 }), { minItems: 1, maxItems: NOTES }),
  duration: Type.Integer({ minimum: 1, maximum: SOUND_SECONDS_MAX }),
})
const isDemoSound = createGuard(DemoSound)
type DemoSound = Static<typeof DemoSound>

/** Plays a small melody of the prompt's own on this machine: real WAV files, nothing paid. */
export function createDemoSoundProvider(): GenerationProvider<SoundRequest> {
  return { start, check }

  async function start({
    prompt,
    duration = SOUND_DEFAULTS.duration,
  }: SoundRequest): Promise<DemoSound> {
    return { notes: [...createHash('sha256').update(prompt).digest().subarray(0, NOTES)], duration }
  }

  async function check(
    operation: unknown,
    { signal }: Pick<GenerationStep, 'signal'>,
  ): Promise<GenerationState> {
    signal.throwIfAborted()
    if (!isDemoSound(operation)) return DAMAGED
    const samples = playMelody({ ...operation, samplesPerSecond: SAMPLES_PER_SECOND })
    const bytes = writeWav({ samples, samplesPerSecond: SAMPLES_PER_SECOND })
    return {
      status: 'success',
      results: [{ type: 'bytes', bytes, extension: 'wav', contentType: 'audio/wav' }],
    }
  }
}
