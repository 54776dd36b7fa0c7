import { describe, expect, test } from 'vitest'
import type { VideoRequest } from '../../../../src/contract/video.ts'
import { createDemoVideoProvider } from '../../../../src/service/providers/demo/video.ts'
import type {
  GenerationState,
  ProviderOperation,
} from '../../../../src/service/providers/provider.ts'
import { createStep } from '../generation-step.ts'
import { type Mp4File, readMp4 } from './mp4-file.ts'

const REQUEST: VideoRequest = { prompt: 'a fox', aspect_ratio: '1280:720' }
const UNABORTED = new AbortController().signal

// A render is seconds of one core, and more where other tests want it too.
describe('createDemoVideoProvider()', { timeout: 120_000 }, () => {
  test.each<[VideoRequest, { width: number; height: number; durationSeconds: number }]>([
    [
      { prompt: 'Лиса 🦊 <&> \u0000 \ud800 שלום '.repeat(200), aspect_ratio: '720:1280' },
      { width: 720, height: 1280, durationSeconds: 5 },
    ],
    [
      { prompt: 'a fox', image_url: 'https://example.com/a.png', duration: 10 },
      { width: 1280, height: 720, durationSeconds: 10 },
    ],
    [
      { prompt: 'щ'.repeat(5000), aspect_ratio: '1280:720', quality: '1080p' },
      { width: 1920, height: 1080, durationSeconds: 5 },
    ],
  ])(
    'renders the H.264 clip that was asked for, also from the stored operation',
    async (request, shape) => {
      const started = await createDemoVideoProvider().start(request, 'key', UNABORTED)
      const stored: ProviderOperation = JSON.parse(JSON.stringify(started))

      const state = await createDemoVideoProvider().check(stored, createStep())

      const file = Buffer.from(fileOf(state))
      const clip = readMp4(file)
      expect(clip).toMatchObject({ ...shape, codec: 'avc1' })
      expect(clip.boxes.indexOf('moov')).toBeLessThan(clip.boxes.indexOf('mdat'))
      // It moves: a frame equal to the one before would be some 30 bytes.
      expect(Math.min(...clip.frameBytes)).toBeGreaterThan(300)
      // The frames are where the index says, and those it calls key frames are: NAL units of type 5, not 1.
      const unitTypes = frameOffsets(clip).map((offset) => file.readUInt8(offset + 4) & 0x1f)
      const keyFrames = new Set(clip.keyFrames)
      expect(keyFrames.size).toBe(Math.ceil(shape.durationSeconds / 2))
      expect(unitTypes).toEqual(unitTypes.map((_, index) => (keyFrames.has(index + 1) ? 5 : 1)))
    },
  )

  test('renders one clip at a time: another is generating meanwhile', async () => {
    const provider = createDemoVideoProvider()
    const operation = await provider.start(REQUEST, 'key', UNABORTED)
    const first = provider.check(operation, createStep())

    const meanwhile = await provider.check(operation, createStep())

    expect(meanwhile).toEqual({ status: 'generating' })
    expect((await first).status).toBe('success')
  })

  test('ends the render when it is aborted, and makes room for the next', async () => {
    const provider = createDemoVideoProvider()
    const operation = await provider.start(REQUEST, 'key', UNABORTED)
    const stop = new AbortController()
    const aborted = provider.check(operation, createStep(stop.signal))
    const reason = new Error('shutting down')

    stop.abort(reason)

    await expect(aborted).rejects.toBe(reason)
    expect((await provider.check(operation, createStep())).status).toBe('success')
  })

  test('fails an operation that it cannot read', async () => {
    const state = await createDemoVideoProvider().check({ prompt: 1 }, createStep())

    expect(state).toMatchObject({ status: 'fail', code: 500 })
  })
})

/** The encoder writes one second of frames to a chunk. */
function frameOffsets({ frameBytes, chunkOffsets, durationSeconds }: Mp4File): number[] {
  const framesPerChunk = frameBytes.length / durationSeconds
  let at = 0
  return frameBytes.map((bytes, index) => {
    if (index % framesPerChunk === 0) at = chunkOffsets[index / framesPerChunk] ?? Number.NaN
    const offset = at
    at += bytes
    return offset
  })
}

function fileOf(state: GenerationState): Uint8Array {
  if (state.status !== 'success') throw new Error(`Expected a clip, got ${state.status}`)
  const [result, ...others] = state.results
  if (result?.type !== 'bytes' || others.length > 0) throw new Error('Expected one file of bytes')
  expect(result).toMatchObject({ extension: 'mp4', contentType: 'video/mp4' })
  return result.bytes
}
