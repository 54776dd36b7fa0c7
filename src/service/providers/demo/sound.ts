import { createHash } from 'node:crypto'
import { Type } from 'typebox'
import { SOUND_DEFAULTS, SOUND_SECONDS_MAX, type SoundRequest } from '../../../contract/tasks.ts'
import type { GenerationProvider } from '../provider.ts'
import { createDemoProvider } from './demo-provider.ts'
import { playMelody } from './melody.ts'

const SAMPLES_PER_SECOND = 22_050
const NOTES = 32

const WAV_HEADER_BYTES = 44
const SAMPLE_BYTES = 2
const PCM = 1
const MONO = 1

const DemoSound = Type.Object({
  notes: Type.Array(Type.Integer({ minimum: 0, maximum: 255 }), { minItems: 1, maxItems: NOTES }),
  duration: Type.Integer({ minimum: 1, maximum: SOUND_SECONDS_MAX }),
})

/** Plays a small melody of the prompt's own: real WAV files. */
export function createDemoSoundProvider(): GenerationProvider<SoundRequest> {
  return createDemoProvider({
    schema: DemoSound,
    describe({ prompt, duration = SOUND_DEFAULTS.duration }: SoundRequest) {
      const digest = createHash('sha256').update(prompt).digest()
      return { notes: [...digest.subarray(0, NOTES)], duration }
    },
    async make({ notes, duration }) {
      const samples = playMelody({ notes, duration, samplesPerSecond: SAMPLES_PER_SECOND })
      const bytes = writeWav(samples)
      return { bytes, contentType: 'audio/wav' }
    },
  })
}

function writeWav(samples: Int16Array): Uint8Array {
  const dataBytes = samples.length * SAMPLE_BYTES
  const file = Buffer.alloc(WAV_HEADER_BYTES + dataBytes)
  file.write('RIFF', 0, 'latin1')
  file.writeUInt32LE(WAV_HEADER_BYTES - 8 + dataBytes, 4)
  file.write('WAVEfmt ', 8, 'latin1')
  file.writeUInt32LE(16, 16)
  file.writeUInt16LE(PCM, 20)
  file.writeUInt16LE(MONO, 22)
  file.writeUInt32LE(SAMPLES_PER_SECOND, 24)
  file.writeUInt32LE(SAMPLES_PER_SECOND * SAMPLE_BYTES, 28)
  file.writeUInt16LE(SAMPLE_BYTES, 32)
  file.writeUInt16LE(8 * SAMPLE_BYTES, 34)
  file.write('data', 36, 'latin1')
  file.writeUInt32LE(dataBytes, 40)
  for (let index = 0; index < samples.length; index++) {
    file.writeInt16LE(samples[index] ?? 0, WAV_HEADER_BYTES + index * SAMPLE_BYTES)
  }
  return file
}
