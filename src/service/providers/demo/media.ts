/** The demo's media: ready files in this folder. All is made in one `check()`, and again after a restart. */
import { readFile } from 'node:fs/promises'
import {
  IMAGE_DEFAULTS,
  type ImageRequest,
  type MediaKind,
  SOUND_DEFAULTS,
  type SoundRequest,
  VIDEO_DEFAULTS,
  type VideoRequest,
} from '../../../contract/tasks.ts'
import type { GenerationProvider, GenerationState } from '../provider.ts'

const VIDEO_SIZES = {
  '720p': { '1280:720': '1280x720', '720:1280': '720x1280' },
  '1080p': { '1280:720': '1920x1080', '720:1280': '1080x1920' },
} as const
const IMAGE_SIZES = { '1:1': '1024x1024', '16:9': '1280x720', '9:16': '720x1280' } as const

const WAV_HEADER_BYTES = 44

/** Makes media by ready files. A reference picture changes nothing. */
export function createDemoProvider(media: MediaKind): GenerationProvider<object> {
  return {
    start: async (request) => ({ request }),
    async check({ request }, { signal }) {
      signal.throwIfAborted()
      if (media === 'video') return await makeVideo(request as VideoRequest)
      if (media === 'image') return await makeImage(request as ImageRequest)
      return await makeSound(request as SoundRequest)
    },
  }
}

async function makeVideo(request: VideoRequest) {
  const { duration = VIDEO_DEFAULTS.duration, quality = VIDEO_DEFAULTS.quality } = request
  const size = VIDEO_SIZES[quality][request.aspect_ratio ?? '1280:720']
  return toSuccess(await readDemoFile(`${size}-${duration}s.mp4`), 'video/mp4')
}

async function makeImage({ aspect_ratio = IMAGE_DEFAULTS.aspect_ratio }: ImageRequest) {
  return toSuccess(await readDemoFile(`${IMAGE_SIZES[aspect_ratio]}.png`), 'image/png')
}

async function makeSound({ duration = SOUND_DEFAULTS.duration }: SoundRequest) {
  return toSuccess(repeatSound(await readDemoFile('melody.wav'), duration), 'audio/wav')
}

async function readDemoFile(name: string): Promise<Buffer> {
  return await readFile(new URL(name, import.meta.url))
}

function toSuccess(bytes: Uint8Array, contentType: string): GenerationState {
  return { status: 'success', results: [{ type: 'bytes', bytes, contentType }] }
}

/** Each quarter of a second of the melody is a note that fades out: it may end at any full second without a click. */
function repeatSound(melody: Buffer, seconds: number): Buffer {
  const bytesPerSecond = melody.readUInt32LE(28)
  const samples = Buffer.alloc(seconds * bytesPerSecond, melody.subarray(WAV_HEADER_BYTES))
  const header = Buffer.from(melody.subarray(0, WAV_HEADER_BYTES))
  header.writeUInt32LE(WAV_HEADER_BYTES - 8 + samples.length, 4)
  header.writeUInt32LE(samples.length, 40)
  return Buffer.concat([header, samples])
}
