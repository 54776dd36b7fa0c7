import { describe, expect, test } from 'vitest'
import {
  findVideoProblems,
  VIDEO_ASPECT_RATIOS,
  VIDEO_DURATIONS,
  VIDEO_QUALITIES,
  type VideoRequest,
} from '../../../../src/contract/tasks.ts'
import { createDemoImageProvider } from '../../../../src/service/providers/demo/image.ts'
import { createDemoVideoProvider } from '../../../../src/service/providers/demo/video.ts'
import type { GenerationState } from '../../../../src/service/providers/provider.ts'
import { startServer } from '../../../platform/http/local-server.ts'
import { createStep } from '../generation-step.ts'
import { readMp4 } from './mp4-file.ts'

const PUBLIC_ONLY = { allow: new Set<string>() }
const LANDSCAPE = { '720p': { width: 1280, height: 720 }, '1080p': { width: 1920, height: 1080 } }
const PORTRAIT = { '720p': { width: 720, height: 1280 }, '1080p': { width: 1080, height: 1920 } }

const OFFERED = VIDEO_DURATIONS.flatMap((duration) =>
  VIDEO_QUALITIES.flatMap((quality) =>
    VIDEO_ASPECT_RATIOS.map((aspect_ratio) => ({ duration, quality, aspect_ratio })),
  ),
).filter((shape) => findVideoProblems({ prompt: 'a fox', ...shape }).length === 0)

async function check(params: VideoRequest, allow: string[] = []): Promise<GenerationState> {
  const guard = { allow: new Set(allow) }
  const started = await createDemoVideoProvider(guard).start(params, 'key')
  const stored = JSON.parse(JSON.stringify(started))
  return await createDemoVideoProvider(guard).check(stored, createStep())
}

async function make(params: VideoRequest, allow: string[] = []): Promise<Uint8Array> {
  const state = await check(params, allow)
  if (state.status !== 'success') throw new Error(`Expected a clip, got ${state.status}`)
  const [result, ...others] = state.results
  if (result?.type !== 'bytes' || others.length > 0) throw new Error('Expected one file of bytes')
  expect(result).toMatchObject({ contentType: 'video/mp4' })
  return result.bytes
}

async function demoPicture(aspect_ratio: '16:9' | '9:16'): Promise<Uint8Array> {
  const provider = createDemoImageProvider()
  const state = await provider.check(
    await provider.start({ prompt: 'a fox', aspect_ratio }, 'key'),
    createStep(),
  )
  const [result] = state.status === 'success' ? state.results : []
  if (result?.type !== 'bytes') throw new Error('Expected a picture')
  return result.bytes
}

/** @param bytes 503 without any. */
async function serve(bytes: Uint8Array | undefined) {
  const { baseUrl, requests } = await startServer(
    (response) => void (bytes === undefined ? response.writeHead(503).end() : response.end(bytes)),
  )
  const { host, origin } = new URL(baseUrl)
  return { url: `${origin}/picture`, host, requests }
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
    [{ aspect_ratio: '1280:720' as const }, { width: 1280, height: 720 }],
  ])('lasts 5 s in 720p when nothing else is asked for: %o', async (request, size) => {
    const clip = readMp4(await make({ prompt: 'a fox', ...request }))

    expect(clip).toMatchObject({ ...size, durationSeconds: 5 })
  })

  test.each([
    ['9:16', {}, PORTRAIT['720p']],
    ['16:9', {}, LANDSCAPE['720p']],
    ['16:9', { aspect_ratio: '720:1280' as const }, PORTRAIT['720p']],
    ['9:16', { quality: '1080p' as const }, PORTRAIT['1080p']],
  ] as const)(
    'answers a picture of %s and %o with the ready clip in its shape',
    async (shape, request, size) => {
      const { url, host, requests } = await serve(await demoPicture(shape))

      const file = await make({ prompt: 'it moves', image_url: url, ...request }, [host])
      const longer = await make({ prompt: 'it moves', image_url: url, duration: 10 }, [host])

      expect(readMp4(file)).toMatchObject({ ...size, durationSeconds: 5, codec: 'avc1' })
      expect(readMp4(longer)).toMatchObject({ durationSeconds: 10, codec: 'avc1' })
      expect(requests).toHaveLength(2)
    },
  )

  test.each([
    ['a picture of another format', Buffer.from('RIFF    WEBPVP8 and more')],
    ['no picture', Buffer.from('<html>Not found</html>')],
    ['a picture without a size', Buffer.from('ffd8ffe00000', 'hex')],
  ])('fails with a sentence for %s', async (_, bytes) => {
    const { url, host } = await serve(bytes)

    expect(await check({ prompt: 'it moves', image_url: url }, [host])).toMatchObject({
      status: 'fail',
      message: expect.stringContaining('PNG and JPEG'),
    })
  })

  test('does not fetch a picture from a private network', async () => {
    const { url, requests } = await serve(await demoPicture('16:9'))

    expect(await check({ prompt: 'it moves', image_url: url })).toMatchObject({ status: 'fail' })
    expect(requests).toEqual([])
  })

  test('asks again for a picture that does not come now', async () => {
    const { url, host } = await serve(undefined)

    await expect(check({ prompt: 'it moves', image_url: url }, [host])).rejects.toMatchObject({
      code: 'unavailable',
    })
  })

  test('is stopped by the signal', async () => {
    const reason = new Error('shutting down')
    const provider = createDemoVideoProvider(PUBLIC_ONLY)
    const operation = await provider.start({ prompt: 'a fox' }, 'key')

    await expect(provider.check(operation, createStep(AbortSignal.abort(reason)))).rejects.toBe(
      reason,
    )
  })

  test('fails an operation that it cannot read', async () => {
    const state = await createDemoVideoProvider(PUBLIC_ONLY).check({ prompt: 1 }, createStep())

    expect(state).toMatchObject({ status: 'fail', code: 500 })
  })
})
