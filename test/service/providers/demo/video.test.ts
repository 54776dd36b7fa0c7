import { describe, expect, test } from 'vitest'
import {
  findVideoProblems,
  VIDEO_ASPECT_RATIOS,
  VIDEO_DURATIONS,
  VIDEO_QUALITIES,
  type VideoRequest,
} from '../../../../src/contract/video.ts'
import { createDemoVideoProvider } from '../../../../src/service/providers/demo/video.ts'
import { createStep } from '../generation-step.ts'
import { readMp4 } from './mp4-file.ts'

const LANDSCAPE = { '720p': { width: 1280, height: 720 }, '1080p': { width: 1920, height: 1080 } }
const PORTRAIT = { '720p': { width: 720, height: 1280 }, '1080p': { width: 1080, height: 1920 } }

const OFFERED = VIDEO_DURATIONS.flatMap((duration) =>
  VIDEO_QUALITIES.flatMap((quality) =>
    VIDEO_ASPECT_RATIOS.map((aspect_ratio) => ({ duration, quality, aspect_ratio })),
  ),
).filter((shape) => findVideoProblems({ prompt: 'a fox', ...shape }).length === 0)

async function make(params: VideoRequest): Promise<Uint8Array> {
  const started = await createDemoVideoProvider().start(params, 'key')
  const stored = JSON.parse(JSON.stringify(started))
  const state = await createDemoVideoProvider().check(stored, createStep())
  if (state.status !== 'success') throw new Error(`Expected a clip, got ${state.status}`)
  const [result, ...others] = state.results
  if (result?.type !== 'bytes' || others.length > 0) throw new Error('Expected one file of bytes')
  expect(result).toMatchObject({ contentType: 'video/mp4' })
  return result.bytes
}

describe('createDemoVideoProvider()', () => {
  test.each(OFFERED)('gives the H.264 clip of each offered shape: %o', async (shape) => {
    const file = await make({ prompt: 'Лиса 🦊 <&> \u0000 \ud800', ...shape })

    const clip = readMp4(file)
    const sizes = shape.aspect_ratio === '720:1280' ? PORTRAIT : LANDSCAPE
    expect(clip).toMatchObject({ ...sizes[shape.quality], durationSeconds: shape.duration })
    expect(clip.codec).toBe('avc1')
    expect([66, 77, 100]).toContain(clip.profile)
    expect(clip.boxes.indexOf('moov')).toBeLessThan(clip.boxes.indexOf('mdat'))
    expect(clip.keyFrames).toHaveLength(shape.duration / 5)
    // It moves: without a change the frames after the first would be some 20 bytes each.
    const changes = clip.frameBytes.slice(1).reduce((sum, bytes) => sum + bytes)
    expect(changes / clip.frameBytes.length).toBeGreaterThan(60)
    // It is a part of the repository and of every image.
    expect(file.length).toBeLessThan(60_000)
  })

  test.each([
    [{ aspect_ratio: '720:1280' as const }, { width: 720, height: 1280 }],
    [{ image_url: 'https://example.com/a.png' }, { width: 1280, height: 720 }],
    [
      { image_url: 'https://example.com/a.png', aspect_ratio: '720:1280' as const },
      { width: 720, height: 1280 },
    ],
  ])('lasts 5 s in 720p when nothing else is asked for: %o', async (request, size) => {
    const clip = readMp4(await make({ prompt: 'a fox', ...request }))

    expect(clip).toMatchObject({ ...size, durationSeconds: 5 })
  })

  test('is stopped by the signal', async () => {
    const reason = new Error('shutting down')
    const provider = createDemoVideoProvider()
    const operation = await provider.start({ prompt: 'a fox' }, 'key')

    await expect(provider.check(operation, createStep(AbortSignal.abort(reason)))).rejects.toBe(
      reason,
    )
  })

  test('fails an operation that it cannot read', async () => {
    const state = await createDemoVideoProvider().check({ prompt: 1 }, createStep())

    expect(state).toMatchObject({ status: 'fail', code: 500 })
  })
})
