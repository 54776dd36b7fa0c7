import { describe, expect, test } from 'vitest'
import {
  createOpenAiImageProvider,
  createOpenAiSoundProvider,
} from '../../../../src/service/providers/openai/media.ts'
import { startServer } from '../../../platform/http/local-server.ts'
import { type Answer, answers, createStep } from '../generation-step.ts'

const PNG = Buffer.from('\x89PNG\r\n\x1a\n and so on', 'latin1')
const JPEG = Buffer.from('\xff\xd8\xff and so on', 'latin1')
const WEBP = Buffer.from('RIFF\x0a\x0d\x00\x00WEBPVP8 ', 'latin1')
const IMAGE = {
  phase: 'unsent',
  key: 'key',
  body: { model: 'm', prompt: 'a fox', n: 1, size: '1024x1024' },
}
const SOUND = {
  phase: 'unsent',
  key: 'key',
  body: { model: 'm', input: 'a fox', voice: 'alloy', response_format: 'mp3' },
}

async function open(answer: Answer) {
  const server = await startServer(answer)
  const access = { baseUrl: server.baseUrl, apiKey: 'sk-1' }
  const images = createOpenAiImageProvider(access, 'm')
  return { server, images, sounds: createOpenAiSoundProvider(access, 'm') }
}

describe('createOpenAiImageProvider()', () => {
  test.each([
    [undefined, {}, '1024x1024'],
    ['1:1' as const, {}, '1024x1024'],
    ['16:9' as const, {}, '1536x1024'],
    ['9:16' as const, {}, '1024x1536'],
    ['9:16' as const, { '9:16': '1024x1792' }, '1024x1792'],
  ])('an image of %s, with sizes %o, is asked for in %s', async (aspect_ratio, sizes, size) => {
    const ofSizes = createOpenAiImageProvider({ baseUrl: 'http://127.0.0.1:1' }, 'm', sizes)
    const params = { prompt: 'a fox', ...(aspect_ratio && { aspect_ratio }) }

    const operation = await ofSizes.start(params, 'key')

    expect(operation).toEqual({ ...IMAGE, body: { ...IMAGE.body, size } })
  })

  test.each([
    ['image/png', PNG],
    ['image/jpeg', JPEG],
    ['image/webp', WEBP],
  ])('an image comes as bytes of %s', async (contentType, bytes) => {
    const step = createStep()
    const { images, server } = await open(
      answers(200, { created: 1, data: [{ b64_json: bytes.toString('base64'), url: null }] }),
    )

    const state = await images.check(IMAGE, step)

    expect(state).toEqual({
      status: 'success',
      results: [{ type: 'bytes', bytes, contentType }],
    })
    expect(step.saved).toEqual([{ ...IMAGE, phase: 'sent' }])
    const [request] = server.requests
    expect(request).toMatchObject({ method: 'POST', path: '/api/v1/images/generations' })
    expect(request?.headers).toMatchObject({ authorization: 'Bearer sk-1' })
    expect(JSON.parse(request?.body ?? '')).toEqual(IMAGE.body)
  })

  test('an image that comes as a link is not made again to be copied again', async () => {
    const step = createStep()
    const url = 'https://a.example/1.png'
    const { images, server } = await open(answers(200, { data: [{ url }] }))

    const states = [await images.check(IMAGE, step)]
    states.push(await images.check(step.saved.at(-1) ?? {}, step))

    expect(states).toEqual(Array(2).fill({ status: 'success', results: [{ type: 'url', url }] }))
    expect(server.requests).toHaveLength(1)
  })

  test.each([
    ['no data', {}],
    ['an empty list', { data: [] }],
    ['no picture', { data: [{}] }],
    ['what is no picture', { data: [{ b64_json: Buffer.from('<html>').toString('base64') }] }],
  ])('an image whose answer holds %s has no result', async (_name, body) => {
    const { images } = await open(answers(200, body))

    expect(await images.check(IMAGE, createStep())).toEqual({ status: 'success', results: [] })
  })
})

describe('createOpenAiSoundProvider()', () => {
  test('a sound is the prompt, spoken by a voice of ours if the config names none', async () => {
    const bytes = Buffer.from([0xff, 0xfb, 0x90, 0])
    const { sounds, server } = await open((response) => {
      response.writeHead(200, { 'content-type': 'audio/mpeg' }).end(bytes)
    })

    const operation = await sounds.start({ prompt: 'a fox', duration: 9 }, 'key')
    const state = await sounds.check(operation, createStep())

    expect(operation).toEqual(SOUND)
    expect(server.requests[0]?.path).toBe('/api/v1/audio/speech')
    expect(JSON.parse(server.requests[0]?.body ?? '')).toEqual(SOUND.body)
    expect(state).toEqual({
      status: 'success',
      results: [{ type: 'bytes', bytes, contentType: 'audio/mpeg' }],
    })
  })

  test('a sound is spoken by the voice that the config names', async () => {
    const provider = createOpenAiSoundProvider({ baseUrl: 'http://127.0.0.1:1' }, 'm', 'nova')

    const operation = await provider.start({ prompt: 'a fox' }, 'key')

    expect(operation).toEqual({ ...SOUND, body: { ...SOUND.body, voice: 'nova' } })
  })

  test.each<[string, Answer]>([
    ['nothing', (response) => response.writeHead(200, { 'content-type': 'audio/mpeg' }).end()],
    ['no sound', answers(200, { error: 'busy' })],
  ])('a sound whose answer is %s has no result', async (_name, answer) => {
    const { sounds } = await open(answer)

    expect(await sounds.check(SOUND, createStep())).toEqual({ status: 'success', results: [] })
  })
})
