import { afterAll, beforeAll, expect, test } from 'vitest'
import { builtInServiceConfig } from '../../../src/service/config/service-config.ts'
import { createEndpoints } from '../../../src/service/generation/endpoints.ts'
import { readPng } from '../providers/demo/png-file.ts'
import { readWav } from '../providers/demo/wav-file.ts'
import { startS3 } from '../storage/s3-server.ts'
import { type GenerationSetup, openGenerationSetup } from './generation-setup.ts'

const IMAGES = 'images/imagegen-generate'
const SOUNDS = 'sounds/soundgen-generate'

let setup: GenerationSetup
let service: Awaited<ReturnType<GenerationSetup['addProcessOf']>>

beforeAll(async () => {
  setup = await openGenerationSetup()
  service = await setup.addProcessOf(createEndpoints(builtInServiceConfig()))
  await service.generation.start()
})

afterAll(() => setup.close())

async function create(
  path: string,
  accountId: number,
  body: unknown,
  { by = service, headers = {} } = {},
) {
  const response = await by.app.inject({
    method: 'POST',
    url: `/api/v1/${path}`,
    headers: {
      authorization: `Bearer ${accountId}`,
      'content-type': 'application/json',
      ...headers,
    },
    payload: JSON.stringify(body),
  })
  return { status: response.statusCode, body: response.json() }
}

async function make(path: string, accountId: number, body: unknown, by = service) {
  const { task_id: taskId } = (await create(path, accountId, body, { by })).body
  await by.visit(taskId)
  const task = (await by.read(accountId, taskId)).body
  const { pathname } = new URL(task.result_urls[0])
  const file = await by.app.inject({ url: pathname })
  return { taskId, task, file }
}

test('an image is made, charged once and served', async () => {
  const accountId = await setup.addAccount(5_000_000n)

  const body = { prompt: 'Лиса 🦊', aspect_ratio: '9:16' }
  const { taskId, task, file } = await make(IMAGES, accountId, body)

  expect(task).toEqual({
    status: 'success',
    result_urls: [expect.stringMatching(/^http:\/\/kopeck\.test\/files\/[0-9a-f]{40}\.png$/)],
    error: null,
  })
  expect(file.headers['content-type']).toBe('image/png')
  expect(readPng(file.rawPayload)).toMatchObject({ width: 720, height: 1280 })
  expect(await setup.task(taskId)).toMatchObject({ label: 'imagegen', params: body })
  expect(await setup.balance(accountId)).toBe(0n)
})

test('a sound is made, charged once and served', async () => {
  const accountId = await setup.addAccount(3_000_000n)

  const { taskId, task, file } = await make(SOUNDS, accountId, { prompt: 'birds', duration: 2 })

  expect(task.status).toBe('success')
  expect(file.headers['content-type']).toBe('audio/wav')
  expect(readWav(file.rawPayload).durationSeconds).toBe(2)
  expect(await setup.task(taskId)).toMatchObject({ label: 'soundgen' })
  expect(await setup.balance(accountId)).toBe(0n)
})

// Promise: An `Idempotency-Key` comes with another body or endpoint
test('an idempotency key of one endpoint is refused at another, whose body is the same', async () => {
  const accountId = await setup.addAccount(10_000_000n)
  const headers = { 'idempotency-key': 'order 1' }
  const [body, price] = [{ prompt: 'birds' }, 5_000_000n]

  const image = await create(IMAGES, accountId, body, { headers })
  const sound = await create(SOUNDS, accountId, body, { headers })
  const again = await create(IMAGES, accountId, body, { headers })

  expect(sound.status).toBe(422)
  expect(again).toEqual(image)
  expect(await setup.balance(accountId)).toBe(10_000_000n - price)
})

test('a sound is kept in a bucket and served from it', async () => {
  const s3 = await startS3()
  const endpoints = createEndpoints(builtInServiceConfig())
  const other = await setup.addProcessOf(endpoints, { s3: s3.config })
  await other.generation.start()
  const accountId = await setup.addAccount(3_000_000n)

  const { task, file } = await make(SOUNDS, accountId, { prompt: 'birds' }, other)

  expect([...s3.objects.keys()]).toEqual([task.result_urls[0].split('/').at(-1)])
  expect(file.headers['content-type']).toBe('audio/wav')
  expect(readWav(file.rawPayload).durationSeconds).toBe(5)
})

test.each<[string, object]>([
  [IMAGES, { prompt: '🪙'.repeat(5000) }],
  [IMAGES, { prompt: 'a', aspect_ratio: '1:1', seed: 1 }],
  [SOUNDS, { prompt: 'я'.repeat(5000) }],
  [SOUNDS, { prompt: 'a', duration: 1 }],
  [SOUNDS, { prompt: 'a', duration: 30, voice: null }],
])('POST /%s takes what is within bounds (%#)', async (path, body) => {
  const accountId = await setup.addAccount(5_000_000n)

  expect(await create(path, accountId, body)).toEqual({
    status: 200,
    body: { task_id: expect.any(Number) },
  })
})

test.each<[string, unknown, string[]]>([
  [IMAGES, {}, ['prompt']],
  [IMAGES, { prompt: '' }, ['prompt']],
  [IMAGES, { prompt: '🪙'.repeat(5001) }, ['prompt']],
  [IMAGES, { prompt: 'a\0' }, ['prompt']],
  [IMAGES, { prompt: 'a', aspect_ratio: '1280:720' }, ['aspect_ratio']],
  [IMAGES, { prompt: 5, aspect_ratio: null }, ['prompt', 'aspect_ratio']],
  [SOUNDS, {}, ['prompt']],
  [SOUNDS, { prompt: 'a', duration: 0 }, ['duration']],
  [SOUNDS, { prompt: 'a', duration: 31 }, ['duration']],
  [SOUNDS, { prompt: 'a', duration: 1.5 }, ['duration']],
  [SOUNDS, { prompt: 'a', duration: '5' }, ['duration']],
])('POST /%s refuses %j with 422 and charges nothing', async (path, body, fields) => {
  const poor = await setup.addAccount(0n)

  const answer = await create(path, poor, body)

  expect(answer.status).toBe(422)
  expect(answer.body.detail).toEqual(
    fields.map((field) => ({ loc: ['body', field], msg: expect.stringMatching(/./) })),
  )
})

test.each([
  [IMAGES, /5 .*4/],
  [SOUNDS, /3 .*2/],
])('POST /%s refuses with 402 an account that has too little', async (path, detail) => {
  const poor = await setup.addAccount(path === IMAGES ? 4_000_000n : 2_000_000n)

  const answer = await create(path, poor, { prompt: 'a' })

  expect(answer).toEqual({ status: 402, body: { detail: expect.stringMatching(detail) } })
})
