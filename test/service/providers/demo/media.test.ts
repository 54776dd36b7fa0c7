import { readFile } from 'node:fs/promises'
import { describe, expect, test } from 'vitest'
import type { SoundRequest, VideoRequest } from '../../../../src/contract/tasks.ts'
import { readImageSize } from '../../../../src/platform/http/media-type.ts'
import { createDemoProvider } from '../../../../src/service/providers/demo/media.ts'
import type { GenerationProvider } from '../../../../src/service/providers/provider.ts'
import { startServer } from '../../../platform/http/local-server.ts'
import { createStep } from '../generation-step.ts'

const PROMPT = 'Лиса 🦊 <&>'
const PUBLIC_ONLY = { allow: new Set<never>() }
const LANDSCAPE = { width: 1280, height: 720 }
const PORTRAIT = { width: 720, height: 1280 }

async function check<Params>(provider: GenerationProvider<Params>, params: Params) {
  const stored = JSON.parse(JSON.stringify(await provider.start(params, 'key')))
  return await provider.check(stored, createStep())
}

async function make<Params>(
  provider: GenerationProvider<Params>,
  params: Params,
  contentType: string,
): Promise<Buffer> {
  const state = await check(provider, params)
  expect(state).toEqual({
    status: 'success',
    results: [{ type: 'bytes', bytes: expect.any(Buffer), contentType }],
  })
  const [result] = state.status === 'success' ? state.results : []
  return Buffer.from(result?.type === 'bytes' ? result.bytes : [])
}

function videos(allow: string[] = []): GenerationProvider<VideoRequest> {
  return createDemoProvider('video', { allow: new Set(allow) })
}

async function makeVideo(params: Omit<VideoRequest, 'prompt'>, allow?: string[]) {
  const bytes = await make(videos(allow), { prompt: PROMPT, ...params }, 'video/mp4')
  return readMp4Facts(bytes)
}

/** Reads the boxes of version 0 (ISO/IEC 14496-12, 8.2.2 and 8.3.2). */
function readMp4Facts(mp4: Buffer) {
  const [movie, track] = [mp4.indexOf('mvhd') + 4, mp4.indexOf('tkhd') + 4]
  return {
    width: mp4.readUInt16BE(track + 76),
    height: mp4.readUInt16BE(track + 80),
    durationSeconds: Math.round(mp4.readUInt32BE(movie + 16) / mp4.readUInt32BE(movie + 12)),
  }
}

/** @param bytes 503 without any. */
async function serve(bytes: Uint8Array | undefined) {
  const { baseUrl, requests } = await startServer(
    (response) => void (bytes === undefined ? response.writeHead(503).end() : response.end(bytes)),
  )
  const { host, origin } = new URL(baseUrl)
  return { image_url: `${origin}/picture`, host, requests }
}

async function demoPicture(name: '1280x720' | '720x1280'): Promise<Buffer> {
  return await readFile(`src/service/providers/demo/${name}.png`)
}

describe('createDemoProvider() of videos', () => {
  test.each([
    ['1280:720', undefined, undefined, { ...LANDSCAPE, durationSeconds: 5 }],
    ['720:1280', '720p', 10, { ...PORTRAIT, durationSeconds: 10 }],
    ['720:1280', '1080p', 5, { width: 1080, height: 1920, durationSeconds: 5 }],
  ] as const)('gives a video of %s, %s, %s s', async (aspect_ratio, quality, duration, facts) => {
    const wish = { ...(quality && { quality }), ...(duration && { duration }) }

    expect(await makeVideo({ aspect_ratio, ...wish })).toEqual(facts)
  })

  test.each([
    ['720x1280', {}, PORTRAIT],
    ['1280x720', {}, LANDSCAPE],
    ['1280x720', { aspect_ratio: '720:1280' }, PORTRAIT],
  ] as const)('answers a picture of %s and %o with a video of %o', async (name, wish, size) => {
    const { image_url, host, requests } = await serve(await demoPicture(name))

    expect(await makeVideo({ image_url, ...wish }, [host])).toMatchObject(size)
    expect(requests).toHaveLength(1)
  })

  test.each([['a picture without a size', Buffer.from('ffd8ffe00000', 'hex')]])(
    'fails with a sentence for %s',
    async (_, bytes) => {
      const { image_url, host } = await serve(bytes)

      expect(await check(videos([host]), { prompt: PROMPT, image_url })).toMatchObject({
        status: 'fail',
        message: expect.stringContaining('PNG, JPEG and WebP'),
      })
    },
  )

  test('does not fetch a picture from a private network', async () => {
    const { image_url, requests } = await serve(await demoPicture('1280x720'))

    expect(await check(videos(), { prompt: PROMPT, image_url })).toMatchObject({ status: 'fail' })
    expect(requests).toEqual([])
  })

  test('asks again for a picture that does not come now', async () => {
    const { image_url, host } = await serve(undefined)

    await expect(check(videos([host]), { prompt: PROMPT, image_url })).rejects.toMatchObject({
      code: 'unavailable',
    })
  })
})

test.each([
  [undefined, { width: 1024, height: 1024 }],
  ['1:1', { width: 1024, height: 1024 }],
  ['16:9', { width: 1280, height: 720 }],
  ['9:16', { width: 720, height: 1280 }],
] as const)('createDemoProvider() gives a picture of %s', async (aspect_ratio, size) => {
  const request = { prompt: PROMPT, ...(aspect_ratio && { aspect_ratio }) }

  expect(
    readImageSize(await make(createDemoProvider('image', PUBLIC_ONLY), request, 'image/png')),
  ).toEqual(size)
})

describe('createDemoProvider() of sounds', () => {
  async function play(params: Omit<SoundRequest, 'prompt'>) {
    const wav = await make(
      createDemoProvider('sound', PUBLIC_ONLY),
      { prompt: PROMPT, ...params },
      'audio/wav',
    )
    expect([wav.readUInt32LE(4), wav.readUInt32LE(40)]).toEqual([wav.length - 8, wav.length - 44])
    const samples = Array.from({ length: (wav.length - 44) / 2 }, (_, index) =>
      wav.readInt16LE(44 + 2 * index),
    )
    return { samples, seconds: (wav.length - 44) / wav.readUInt32LE(28) }
  }

  test.each([
    [{}, 5],
    [{ duration: 1 }, 1],
    [{ duration: 30 }, 30],
  ])('plays for exactly as long as was asked: %o', async (request, seconds) => {
    expect((await play(request)).seconds).toBe(seconds)
  })
})

test.each([
  ['videos', videos()],
  ['images', createDemoProvider('image', PUBLIC_ONLY)],
  ['sounds', createDemoProvider('sound', PUBLIC_ONLY)],
])('%s: a stop is obeyed', async (_, provider) => {
  const reason = new Error('stopping')

  const request = { prompt: PROMPT }
  const stopped = provider.check({ request }, createStep(AbortSignal.abort(reason)))

  await expect(stopped).rejects.toBe(reason)
})
