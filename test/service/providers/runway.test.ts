import type { ServerResponse } from 'node:http'
import { describe, expect, test } from 'vitest'
import type { VideoRequest } from '../../../src/contract/tasks.ts'
import { createRunwayProvider } from '../../../src/service/providers/runway.ts'
import { type ReceivedRequest, startServer } from '../../platform/http/local-server.ts'
import { createStep } from './generation-step.ts'

const ID = '497f6eca-6276-4993-bfeb-53cbbbba6f08'
const TEXT: VideoRequest = { prompt: 'a fox', aspect_ratio: '1280:720' }
const UNSENT = {
  phase: 'unsent',
  path: 'text_to_video',
  body: { model: 'gen4.5', promptText: 'a fox', ratio: '1280:720', duration: 5 },
}
const SENT = { ...UNSENT, phase: 'sent' }
const BEGUN = { ...UNSENT, phase: 'begun', id: ID }

type Answer = (response: ServerResponse, request: ReceivedRequest) => void

async function startRunway({
  begin = answers(200, { id: ID }),
  task = answers(200, { id: ID, status: 'RUNNING', progress: 0.5 }),
}: {
  begin?: Answer
  task?: Answer
}) {
  const server = await startServer((response, request) => {
    const { method, path, headers, body } = request
    expect(headers).toMatchObject({
      authorization: 'Bearer key_1',
      'x-runway-version': '2024-11-06',
    })
    if (method === 'GET') {
      expect(path).toBe(`/api/v1/v1/tasks/${ID}`)
      return task(response, request)
    }
    expect(path).toMatch(/^\/api\/v1\/v1\/(text|image)_to_video$/)
    const { promptImage, ...rest } = JSON.parse(body)
    expect(promptImage !== undefined).toBe(path.endsWith('image_to_video'))
    expect(Object.keys(rest).sort()).toEqual(['duration', 'model', 'promptText', 'ratio'])
    begin(response, request)
  })
  // The version is added to any root.
  const options = { baseUrl: `${server.baseUrl}/`, apiKey: 'key_1', model: 'gen4.5' }
  return { server, provider: createRunwayProvider(options) }
}

function answers(status: number, body: unknown, headers: Record<string, string> = {}): Answer {
  return (response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers })
    response.end(JSON.stringify(body))
  }
}

describe('begin', () => {
  test.each<[VideoRequest, string, object]>([
    [TEXT, 'text_to_video', { ratio: '1280:720', duration: 5 }],
    [
      { prompt: 'a fox', aspect_ratio: '720:1280', duration: 10 },
      'text_to_video',
      { ratio: '720:1280', duration: 10 },
    ],
    [{ ...TEXT, quality: '1080p' }, 'text_to_video', { ratio: '1920:1080' }],
    [
      { prompt: 'a fox', aspect_ratio: '720:1280', quality: '1080p' },
      'text_to_video',
      { ratio: '1080:1920' },
    ],
    [
      { prompt: 'a fox', image_url: 'https://a.example/fox.png' },
      'image_to_video',
      { promptImage: 'https://a.example/fox.png', ratio: '1280:720' },
    ],
  ])('asks for %o by %s with %o', async (params, path, fields) => {
    const step = createStep()
    const { provider, server } = await startRunway({})

    const state = await provider.check(await provider.start(params, 'key'), step)

    expect(server.requests.map((request) => request.path)).toEqual([`/api/v1/v1/${path}`])
    expect(JSON.parse(server.requests[0]?.body ?? '')).toMatchObject({
      model: 'gen4.5',
      promptText: 'a fox',
      ...fields,
    })
    expect(state).toEqual({ status: 'generating', checkAfterMs: 5000 })
    expect(step.saved.map(({ phase }) => phase)).toEqual(['sent', 'begun'])
    expect(step.saved[1]).toMatchObject({ id: ID })
  })

  test.each([400, 413, 422])('a request refused with %i ends the task', async (status) => {
    const { provider } = await startRunway({ begin: answers(status, { error: 'no' }) })

    expect(await provider.check(UNSENT, createStep())).toMatchObject({ status: 'fail', code: 502 })
  })

  test.each([
    [401, 'refused'],
    [403, 'refused'],
    [404, 'refused'],
    [429, 'unbegun'],
    [503, 'unbegun'],
  ])('a request answered with %i has not begun: %s', async (status, expected) => {
    const { provider } = await startRunway({ begin: answers(status, { error: 'no' }) })

    const state = await provider.check(UNSENT, createStep())

    expect(state).toMatchObject({ status: expected, failure: { status, explanation: 'no' } })
  })

  test('a request is stored as not sent where it is worth another try', async () => {
    const step = createStep()
    const { provider } = await startRunway({
      begin: answers(429, {}, { 'retry-after': '9' }),
    })

    const state = await provider.check(UNSENT, step)

    expect(state).toMatchObject({ failure: { retryAfterMs: 9000 } })
    expect(step.saved).toEqual([SENT, UNSENT])
  })

  test.each<[string, Answer]>([
    ['lost', (response) => response.destroy()],
    ['a 302', answers(302, {})],
    ['a 500', answers(500, {})],
    ['a 502', answers(502, {})],
    ['a 504', answers(504, {})],
  ])('work whose answer is %s fails, and is not begun a second time', async (_name, begin) => {
    const step = createStep()
    const { provider, server } = await startRunway({ begin })

    const states = [await provider.check(UNSENT, step)]
    // What a process finds that takes over before the failure is stored.
    states.push(await provider.check(step.saved.at(-1) ?? {}, step))

    expect(states).toMatchObject(Array(2).fill({ status: 'fail', code: 502 }))
    expect(server.requests).toHaveLength(1)
  })

  test('work that is answered without an id is refused', async () => {
    const { provider } = await startRunway({ begin: answers(200, {}) })

    expect(await provider.check(UNSENT, createStep())).toMatchObject({ status: 'refused' })
  })
})

describe('poll', () => {
  test.each(['PENDING', 'THROTTLED', 'RUNNING', 'DREAMING'])(
    'work that is %s goes on',
    async (status) => {
      const { provider } = await startRunway({ task: answers(200, { id: ID, status }) })

      expect(await provider.check(BEGUN, createStep())).toEqual({
        status: 'generating',
        checkAfterMs: 5000,
      })
    },
  )

  test('a success gives its links', async () => {
    const { provider } = await startRunway({
      task: answers(200, { id: ID, status: 'SUCCEEDED', output: ['https://a.example/1.mp4'] }),
    })

    expect(await provider.check(BEGUN, createStep())).toEqual({
      status: 'success',
      results: [{ type: 'url', url: 'https://a.example/1.mp4' }],
    })
  })

  test.each([
    ['FAILED', 'SAFETY.INPUT.TEXT', /content/],
    ['FAILED', 'INPUT_PREPROCESSING.SAFETY.TEXT', /content/],
    ['FAILED', 'ASSET.INVALID', /reference image/],
    ['FAILED', 'INTERNAL.BAD_OUTPUT.CODE01', /failed/],
    ['FAILED', undefined, /failed/],
    ['CANCELLED', undefined, /cancelled/],
  ])(
    'work that is %s (%s) ends the task with a reason of ours',
    async (status, failureCode, reason) => {
      const task = { id: ID, status, failureCode, failure: 'org_17 is out of credits' }
      const { provider } = await startRunway({ task: answers(200, task) })

      expect(await provider.check(BEGUN, createStep())).toEqual({
        status: 'fail',
        code: 502,
        message: expect.stringMatching(reason),
      })
    },
  )

  test.each([401, 404, 500])('a poll answered with %i ends nothing', async (status) => {
    const { provider } = await startRunway({ task: answers(status, {}) })

    await expect(provider.check(BEGUN, createStep())).rejects.toMatchObject({ code: 'unavailable' })
  })

  test('a poll answered with 429 waits for as long as it says', async () => {
    const { provider } = await startRunway({ task: answers(429, {}, { 'retry-after': '20' }) })

    expect(await provider.check(BEGUN, createStep())).toEqual({
      status: 'generating',
      checkAfterMs: 20_000,
    })
  })
})

test('an operation that cannot be ours fails', async () => {
  const { provider } = await startRunway({})

  expect(await provider.check({ id: ID }, createStep())).toMatchObject({
    status: 'fail',
    code: 500,
  })
})
