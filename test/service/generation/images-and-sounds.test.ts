import { afterAll, beforeAll, expect, test } from 'vitest'
import { readImageSize } from '../../../src/platform/http/media-type.ts'
import { builtInServiceConfig } from '../../../src/service/config/service-config.ts'
import { createEndpoints } from '../../../src/service/generation/endpoints.ts'
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
  expect(readImageSize(file.rawPayload)).toEqual({ width: 720, height: 1280 })
  expect(await setup.task(taskId)).toMatchObject({ label: 'imagegen', params: body })
  expect(await setup.balance(accountId)).toBe(0n)
})

test('a sound is made, charged once and served', async () => {
  const accountId = await setup.addAccount(3_000_000n)

  const { taskId, task, file } = await make(SOUNDS, accountId, { prompt: 'birds', duration: 2 })

  expect(task.status).toBe('success')
  expect(file.headers['content-type']).toBe('audio/wav')
  expect(file.rawPayload.readUInt32LE(40) / file.rawPayload.readUInt32LE(28)).toBe(2)
  expect(await setup.task(taskId)).toMatchObject({ label: 'soundgen' })
  expect(await setup.balance(accountId)).toBe(0n)
})

test.each<[string, unknown, string[]]>([
  [IMAGES, { prompt: '🪙'.repeat(5001) }, ['prompt']],
  [IMAGES, { prompt: 'a', aspect_ratio: '1280:720' }, ['aspect_ratio']],
  [SOUNDS, { prompt: 'a', duration: 31 }, ['duration']],
  [SOUNDS, { prompt: 'a', duration: 1.5 }, ['duration']],
])('POST /%s refuses %j with 422 and charges nothing', async (path, body, fields) => {
  const poor = await setup.addAccount(0n)

  const answer = await create(path, poor, body)

  expect(answer.status).toBe(422)
  expect(answer.body.detail).toEqual(
    fields.map((field) => ({ loc: ['body', field], msg: expect.stringMatching(/./) })),
  )
})
