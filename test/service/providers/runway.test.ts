import { expect, test } from 'vitest'
import type { VideoRequest } from '../../../src/contract/tasks.ts'
import { createRunwayProvider } from '../../../src/service/providers/runway.ts'
import { startServer } from '../../platform/http/local-server.ts'
import { type Answer, answers, createStep } from './generation-step.ts'

const ID = '497f6eca-6276-4993-bfeb-53cbbbba6f08'
const TEXT: VideoRequest = { prompt: 'a fox', aspect_ratio: '1280:720' }
const BEGUN = { phase: 'begun', key: 'key', body: {}, work: ID }

async function startRunway({
  task = answers(200, { id: ID, status: 'RUNNING', progress: 0.5 }),
}: {
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
    return answers(200, { id: ID })(response, request)
  })
  // The version is added to any root.
  const access = { baseUrl: `${server.baseUrl}/`, apiKey: 'key_1' }
  return { server, provider: createRunwayProvider(access, 'gen4.5') }
}

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
  expect(step.saved[1]).toMatchObject({ work: ID })
})

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
