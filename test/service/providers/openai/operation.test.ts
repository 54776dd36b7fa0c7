import type { ServerResponse } from 'node:http'
import { describe, expect, test } from 'vitest'
import { createOpenAiImageProvider } from '../../../../src/service/providers/openai/image.ts'
import { createOpenAiSoundProvider } from '../../../../src/service/providers/openai/sound.ts'
import { type ReceivedRequest, startServer } from '../../../platform/http/local-server.ts'
import { createStep } from '../generation-step.ts'

const PNG = Buffer.from('\x89PNG\r\n\x1a\n and so on', 'latin1')
const JPEG = Buffer.from('\xff\xd8\xff and so on', 'latin1')
const WEBP = Buffer.from('RIFF\x0a\x0d\x00\x00WEBPVP8 ', 'latin1')
const IMAGE = { phase: 'unsent', body: { model: 'm', prompt: 'a fox', n: 1, size: '1024x1024' } }
const SOUND = {
  phase: 'unsent',
  body: { model: 'm', input: 'a fox', voice: 'alloy', response_format: 'mp3' },
}

type Answer = (response: ServerResponse, request: ReceivedRequest) => void

async function startOpenAi(path: string, fields: string[], answer: Answer) {
  return await startServer((response, request) => {
    expect([request.method, request.path]).toEqual(['POST', `/api/v1${path}`])
    expect(request.headers).toMatchObject({
      authorization: 'Bearer sk-1',
      'content-type': 'application/json',
    })
    expect(Object.keys(JSON.parse(request.body)).sort()).toEqual(fields)
    answer(response, request)
  })
}

async function startImages(answer: Answer) {
  const server = await startOpenAi('/images/generations', ['model', 'n', 'prompt', 'size'], answer)
  const options = { baseUrl: server.baseUrl, apiKey: 'sk-1', model: 'm', sizes: {} }
  return { server, options, provider: createOpenAiImageProvider(options) }
}

async function startSpeech(answer: Answer) {
  const server = await startOpenAi(
    '/audio/speech',
    ['input', 'model', 'response_format', 'voice'],
    answer,
  )
  const options = { baseUrl: server.baseUrl, apiKey: 'sk-1', model: 'm' }
  return { server, options, provider: createOpenAiSoundProvider(options) }
}

function answers(status: number, body: unknown, headers: Record<string, string> = {}): Answer {
  return (response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers })
    response.end(JSON.stringify(body))
  }
}

describe('createOpenAiImageProvider()', () => {
  test.each([
    [undefined, {}, '1024x1024'],
    ['1:1' as const, {}, '1024x1024'],
    ['16:9' as const, {}, '1536x1024'],
    ['9:16' as const, {}, '1024x1536'],
    ['9:16' as const, { '9:16': '1024x1792' }, '1024x1792'],
  ])('an image of %s, with sizes %o, is asked for in %s', async (aspect_ratio, sizes, size) => {
    const { provider, options } = await startImages(answers(200, {}))
    const ofSizes = createOpenAiImageProvider({ ...options, sizes })
    const params = { prompt: 'a fox', ...(aspect_ratio && { aspect_ratio }) }

    const operation = await ofSizes.start(params, 'key')

    expect(operation).toEqual({ ...IMAGE, body: { ...IMAGE.body, size } })
    expect(provider).toBeDefined()
  })

  test.each([
    ['image/png', PNG],
    ['image/jpeg', JPEG],
    ['image/webp', WEBP],
  ])('an image comes as bytes of %s', async (contentType, bytes) => {
    const step = createStep()
    const { provider } = await startImages(
      answers(200, { created: 1, data: [{ b64_json: bytes.toString('base64'), url: null }] }),
    )

    const state = await provider.check(IMAGE, step)

    expect(state).toEqual({
      status: 'success',
      results: [{ type: 'bytes', bytes, contentType }],
    })
    expect(step.saved).toEqual([{ ...IMAGE, phase: 'sent' }])
  })

  test('an image that comes as a link is not made again to be copied again', async () => {
    const step = createStep()
    const url = 'https://a.example/1.png'
    const { provider, server } = await startImages(answers(200, { data: [{ url }] }))

    const states = [await provider.check(IMAGE, step)]
    states.push(await provider.check(step.saved.at(-1) ?? {}, step))

    expect(states).toEqual(Array(2).fill({ status: 'success', results: [{ type: 'url', url }] }))
    expect(server.requests).toHaveLength(1)
  })

  test.each([
    ['no data', {}],
    ['an empty list', { data: [] }],
    ['no picture', { data: [{}] }],
    ['what is no picture', { data: [{ b64_json: Buffer.from('<html>').toString('base64') }] }],
  ])('an image whose answer holds %s has no result', async (_name, body) => {
    const { provider } = await startImages(answers(200, body))

    expect(await provider.check(IMAGE, createStep())).toEqual({ status: 'success', results: [] })
  })
})

describe('createOpenAiSoundProvider()', () => {
  test('a sound is the prompt, spoken by a voice of ours where the config names none', async () => {
    const step = createStep()
    const bytes = Buffer.from([0xff, 0xfb, 0x90, 0])
    const { provider, server } = await startSpeech((response) => {
      response.writeHead(200, { 'content-type': 'audio/mpeg' }).end(bytes)
    })

    const operation = await provider.start({ prompt: 'a fox', duration: 9 }, 'key')
    const state = await provider.check(operation, step)

    expect(operation).toEqual(SOUND)
    expect(JSON.parse(server.requests[0]?.body ?? '')).toEqual(SOUND.body)
    expect(state).toEqual({
      status: 'success',
      results: [{ type: 'bytes', bytes, contentType: 'audio/mpeg' }],
    })
  })

  test('a sound is spoken by the voice that the config names', async () => {
    const { options } = await startSpeech(answers(200, {}))
    const provider = createOpenAiSoundProvider({ ...options, voice: 'nova' })

    const operation = await provider.start({ prompt: 'a fox' }, 'key')

    expect(operation).toEqual({ ...SOUND, body: { ...SOUND.body, voice: 'nova' } })
  })

  test.each<[string, Answer]>([
    ['nothing', (response) => response.writeHead(200, { 'content-type': 'audio/mpeg' }).end()],
    ['no sound', answers(200, { error: 'busy' })],
  ])('a sound whose answer is %s has no result', async (_name, answer) => {
    const { provider } = await startSpeech(answer)

    expect(await provider.check(SOUND, createStep())).toEqual({ status: 'success', results: [] })
  })
})

describe('createOpenAiOperation()', () => {
  test.each([400, 413, 422])('a request refused with %i ends the task', async (status) => {
    const { provider } = await startImages(answers(status, { error: { message: 'sk-1 …' } }))

    expect(await provider.check(IMAGE, createStep())).toMatchObject({
      status: 'fail',
      code: 502,
      message: 'The provider refused the request.',
      failure: { kind: 'refused', status, explanation: '[hidden] …' },
    })
  })

  test.each([
    [401, 'refused'],
    [403, 'refused'],
    [404, 'refused'],
    [429, 'unbegun'],
    [503, 'unbegun'],
  ])('a request answered with %i has not begun: %s', async (status, expected) => {
    const { provider } = await startImages(answers(status, {}))

    const state = await provider.check(IMAGE, createStep())

    expect(state).toMatchObject({ status: expected, failure: { status } })
  })

  test('a request is stored as not sent where it is worth another try', async () => {
    const step = createStep()
    const { provider } = await startImages(answers(503, {}))

    await provider.check(IMAGE, step)

    expect(step.saved.at(-1)).toEqual(IMAGE)
  })

  test.each<[string, Answer]>([
    ['cut off', (response) => response.destroy()],
    ['answered with 302', answers(302, {})],
    ['answered with 500', answers(500, {})],
    ['answered with 502', answers(502, {})],
    ['answered with 504', answers(504, {})],
  ])('a request that was %s is neither sent again nor waited for', async (_name, answer) => {
    const step = createStep()
    const { provider, server } = await startImages(answer)

    const states = [await provider.check(IMAGE, step)]
    // What a process finds that takes over before the failure is stored.
    states.push(await provider.check(step.saved.at(-1) ?? {}, step))

    expect(states).toMatchObject(Array(2).fill({ status: 'fail', code: 502 }))
    expect(server.requests).toHaveLength(1)
  })

  test('a request that cannot be stored is not sent', async () => {
    const { provider, server } = await startImages(answers(200, {}))
    const tooLate = new Error('too late')
    const step = { ...createStep(), save: () => Promise.reject(tooLate) }

    await expect(provider.check(IMAGE, step)).rejects.toBe(tooLate)

    expect(server.requests).toEqual([])
  })

  test('a request stopped before it leaves has not begun', async () => {
    const step = createStep(AbortSignal.abort(new Error('stopping')))
    const { provider, server } = await startImages(answers(200, {}))

    await expect(provider.check(IMAGE, step)).rejects.toThrow()

    expect(server.requests).toEqual([])
    expect(step.saved.at(-1)).toEqual(IMAGE)
  })

  test('work fails if its description is damaged', async () => {
    const { provider } = await startImages(answers(200, {}))

    expect(await provider.check({ phase: 'begun', body: {} }, createStep())).toMatchObject({
      status: 'fail',
      code: 500,
    })
  })
})
