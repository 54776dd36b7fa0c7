import { expect } from 'vitest'
import { TASK_STATUSES } from '../../src/contract/tasks.ts'
import { recogniseMedia } from '../../src/platform/http/media-type.ts'
import { check, once } from './check.ts'
import { type Answer, hasEnded, IMAGE, notSeen, PICTURE, type Service } from './service.ts'

const LINK_AGE_MS = 5_000

/** A picture from its creation to its end. */
const picture = once(async (service: Service) => {
  const created = await service.create(IMAGE, PICTURE)
  const polls = created.taskId === undefined ? [] : await service.pollToEnd(created.taskId)
  return { ...created, polls, end: polls.at(-1)?.body ?? {} }
})

const failed = once(async (service: Service) => {
  const created = await service.create(IMAGE, { prompt: service.faults().failedPrompt })
  const polls = await service.pollToEnd(created.taskId)
  const refunded = await service.balanceWhen((balance) => balance === created.before)
  return { ...created, end: polls.at(-1)?.body ?? {}, refunded }
})

check('a creation is 502 or 503 while the provider is away, and costs nothing', async (service) => {
  const { awayPath } = service.faults()
  const first = await service.create(awayPath, PICTURE)
  if (first.taskId !== undefined) {
    await service.pollToEnd(first.taskId)
    await service.balanceWhen((balance) => balance === first.before)
  }
  // The first creation has shown that the provider is away.
  const { answer, before, after } = await service.create(awayPath, PICTURE)
  expect([502, 503]).toContain(answer.status)
  expect(after).toBe(before)
})

check('a creation answers 200 with an integer task_id', async (service) => {
  const { answer } = await picture(service)
  expect(answer.status).toBe(200)
  expect(Number.isInteger(answer.body.task_id)).toBe(true)
})

check('a task is charged a fixed price at its creation', async (service) => {
  const first = await picture(service)
  const second = await service.create(IMAGE, PICTURE)
  expect(first.after).toBeLessThan(first.before)
  expect(second.before - second.after).toBe(first.before - first.after)
})

check('a poll answers 200 with a known status, result_urls and error', async (service) => {
  for (const answer of await pollsOf(service)) {
    const { status, body } = answer
    expect(status).toBe(200)
    expect(TASK_STATUSES).toContain(body.status)
    expect(body).toHaveProperty('result_urls')
    expect(body).toHaveProperty('error')
    // An open task has neither.
    if (!hasEnded(answer)) expect(body).toMatchObject({ result_urls: null, error: null })
  }
})

check('a task that succeeded has links and no error', async (service) => {
  const { end } = await picture(service)
  expect(end).toMatchObject({ status: 'success', error: null })
  expect(linksOf(end)).not.toEqual([])
})

check('the links lead to a file of the kind that was ordered', async (service) => {
  for (const link of linksOf((await picture(service)).end)) {
    expect(recogniseMedia((await fetchFile(service, link)).bytes)?.media).toBe('image')
  }
})

check('the links are permanent', async (service) => {
  const { taskId, end } = await picture(service)
  const links = linksOf(end)
  const first = await Promise.all(links.map((link) => fetchFile(service, link)))
  await service.target.clock.sleep(LINK_AGE_MS)
  expect(await Promise.all(links.map((link) => fetchFile(service, link)))).toEqual(first)
  expect(first.every(({ status }) => status === 200)).toBe(true)
  expect(linksOf((await service.poll(taskId)).body)).toEqual(links)
})

check('a task that has ended does not change', async (service) => {
  const { taskId, end } = await picture(service)
  for (const _ of [1, 2]) expect((await service.poll(taskId)).body.status).toBe(end.status)
})

check('a task that failed has code and message, and no links', async (service) => {
  const { end } = await failed(service)
  expect(end).toMatchObject({
    status: 'fail',
    result_urls: null,
    error: { code: expect.any(Number), message: expect.any(String) },
  })
})

check('the price of a failed task is refunded', async (service) => {
  const { before, refunded } = await failed(service)
  expect(refunded).toBe(before)
})

check('a task is not shown to another account', async (service) => {
  const key = service.target.otherKey ?? notSeen('no key of another account')
  const { taskId } = await picture(service)
  const { status } = await service.ask('GET', `/task/${taskId}`, { key })
  expect(status).toBeGreaterThanOrEqual(400)
})

async function pollsOf(service: Service): Promise<Answer[]> {
  const { polls } = await picture(service)
  return polls.length > 0 ? polls : notSeen('no task was created')
}

function linksOf({ result_urls: urls }: Record<string, unknown>): string[] {
  return Array.isArray(urls) ? urls.map(String) : []
}

/** Fetches a result as anybody who has its link: without a key. */
async function fetchFile({ target }: Service, url: string) {
  const response = await target.fetch(url)
  return { status: response.status, bytes: Buffer.from(await response.arrayBuffer()) }
}
