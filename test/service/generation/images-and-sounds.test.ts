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

async function create(path: string, accountId: number, body: object) {
  const response = await service.app.inject({
    method: 'POST',
    url: `/api/v1/${path}`,
    headers: { authorization: `Bearer ${accountId}` },
    payload: body,
  })
  return { status: response.statusCode, body: response.json() }
}

async function make(path: string, accountId: number, body: object) {
  const { task_id: taskId } = (await create(path, accountId, body)).body
  await service.visit(taskId)
  const task = (await service.read(accountId, taskId)).body
  const { pathname } = new URL(task.result_urls[0])
  const file = await service.app.inject({ url: pathname })
  return { taskId, task, file }
}

test.each([
  [IMAGES, { prompt: 'Лиса 🦊', aspect_ratio: '9:16' }, 'imagegen', 5_000_000n, 'image/png'],
  [SOUNDS, { prompt: 'birds', duration: 2 }, 'soundgen', 3_000_000n, 'audio/wav'],
])('POST /%s makes %j, charged once and served', async (path, body, label, price, type) => {
  const accountId = await setup.addAccount(price)

  const { taskId, task, file } = await make(path, accountId, body)

  expect(task).toEqual({
    status: 'success',
    result_urls: [expect.stringMatching(/^http:\/\/kopeck\.test\/files\/[0-9a-f]{40}\.(png|wav)$/)],
    error: null,
  })
  expect(file.headers['content-type']).toBe(type)
  const { rawPayload: bytes } = file
  if (path === IMAGES) expect(readImageSize(bytes)).toEqual({ width: 720, height: 1280 })
  else expect(bytes.readUInt32LE(40) / bytes.readUInt32LE(28)).toBe(2)
  expect(await setup.task(taskId)).toMatchObject({ label, params: body })
  expect(await setup.balance(accountId)).toBe(0n)
})

test.each<[string, object, string[]]>([
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
