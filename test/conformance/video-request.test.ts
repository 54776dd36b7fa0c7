import { expect } from 'vitest'
import type { JsonObject } from '../../src/platform/http/json.ts'
import { recogniseMedia } from '../../src/platform/http/media-type.ts'
import { check, once } from './check.ts'
import { CLIP, type Service, VIDEO } from './service.ts'

const PROMPT_CHARS_MAX = 5000

/** The one video that is ordered: with the longest prompt. */
const video = once(async (service: Service) => {
  const created = await service.create(VIDEO, { ...CLIP, prompt: 'x'.repeat(PROMPT_CHARS_MAX) })
  const polls = created.taskId === undefined ? [] : await service.pollToEnd(created.taskId)
  return { ...created, end: polls.at(-1)?.body ?? {} }
})

check('each field of a video must have an allowed value', async (service) => {
  const wrong = [
    { prompt: undefined },
    { prompt: '' },
    { prompt: 'x'.repeat(PROMPT_CHARS_MAX + 1) },
    { duration: '5' },
    { duration: 7 },
    { quality: '480p' },
    { image_url: 'here' },
    { aspect_ratio: '1:1' },
    // It is required without image_url.
    { aspect_ratio: undefined },
  ]
  for (const fields of wrong) {
    expect([fields, (await ask(service, fields)).status]).toEqual([fields, 422])
  }
})

check('1080p is not available with 10 seconds', async (service) => {
  // The interface does not name the status.
  const { status } = await ask(service, { quality: '1080p', duration: 10 })
  expect([status >= 400, status < 500]).toEqual([true, true])
})

check('an invalid video request costs nothing, and its detail is a list', async ({ create }) => {
  const wrong = { duration: 7, quality: '480p', aspect_ratio: '1:1' }
  const { answer, before, after } = await create(VIDEO, wrong)
  expect(answer.body.detail).toEqual(expect.any(Array))
  expect(after).toBe(before)
})

check('a video with a prompt of 5000 characters is created and charged', async (service) => {
  const { answer, before, after } = await video(service)
  expect(answer).toMatchObject({ status: 200, body: { task_id: expect.any(Number) } })
  expect(after).toBeLessThan(before)
})

check('the result of a video is found by polling', async (service) => {
  const { end } = await video(service)
  expect(end.status).toBe('success')
  const [link] = end.result_urls as string[]
  const response = await service.target.fetch(String(link))
  expect(recogniseMedia(Buffer.from(await response.arrayBuffer()))?.media).toBe('video')
})

async function ask(service: Service, fields: JsonObject) {
  return await service.ask('POST', VIDEO, { body: { ...CLIP, ...fields } })
}
