import { describe, expect, test } from 'vitest'
import type { SoundRequest, VideoRequest } from '../../../../src/contract/tasks.ts'
import { readImageSize } from '../../../../src/platform/http/media-type.ts'
import { createDemoProvider } from '../../../../src/service/providers/demo/media.ts'
import type { GenerationProvider } from '../../../../src/service/providers/provider.ts'
import { createStep } from '../generation-step.ts'

const PROMPT = 'Лиса 🦊 <&>'
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

async function makeVideo(params: Omit<VideoRequest, 'prompt'>) {
  const bytes = await make(createDemoProvider('video'), { prompt: PROMPT, ...params }, 'video/mp4')
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

describe('createDemoProvider() of videos', () => {
  test.each([
    ['1280:720', undefined, undefined, { ...LANDSCAPE, durationSeconds: 5 }],
    ['720:1280', '720p', 10, { ...PORTRAIT, durationSeconds: 10 }],
    ['720:1280', '1080p', 5, { width: 1080, height: 1920, durationSeconds: 5 }],
  ] as const)('gives a video of %s, %s, %s s', async (aspect_ratio, quality, duration, facts) => {
    const wish = { ...(quality && { quality }), ...(duration && { duration }) }

    expect(await makeVideo({ aspect_ratio, ...wish })).toEqual(facts)
  })
})

test.each([
  [undefined, { width: 1024, height: 1024 }],
  ['1:1', { width: 1024, height: 1024 }],
  ['16:9', { width: 1280, height: 720 }],
  ['9:16', { width: 720, height: 1280 }],
] as const)('createDemoProvider() gives a picture of %s', async (aspect_ratio, size) => {
  const request = { prompt: PROMPT, ...(aspect_ratio && { aspect_ratio }) }

  expect(readImageSize(await make(createDemoProvider('image'), request, 'image/png'))).toEqual(size)
})

describe('createDemoProvider() of sounds', () => {
  async function play(params: Omit<SoundRequest, 'prompt'>) {
    const wav = await make(createDemoProvider('sound'), { prompt: PROMPT, ...params }, 'audio/wav')
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
  ['videos', createDemoProvider('video')],
  ['images', createDemoProvider('image')],
  ['sounds', createDemoProvider('sound')],
])('%s: a stop is obeyed', async (_, provider) => {
  const reason = new Error('stopping')

  const request = { prompt: PROMPT }
  const stopped = provider.check({ request }, createStep(AbortSignal.abort(reason)))

  await expect(stopped).rejects.toBe(reason)
})
