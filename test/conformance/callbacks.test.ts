import { expect } from 'vitest'
import { readCallbackSecret } from '../../src/contract/client/read-answers.ts'
import { signCallback } from '../../src/contract/tasks.ts'
import { isJsonObject, type JsonObject, parseJson } from '../../src/platform/http/json.ts'
import { check, once } from './check.ts'
import type { Arrival, Manner } from './receiver.ts'
import {
  CLIP,
  callbackUrl,
  IMAGE,
  notSeen,
  PICTURE,
  SECRET,
  type Service,
  VIDEO,
} from './service.ts'

const URL_CHARS_MAX = 500
/** A receiver rejects older timestamps. */
const AGE_S_MAX = 300
const READ_MS = 10_000
/** How far from its time an attempt may be: networks are slow, and some services look once a second. */
const LATE_MS = 3_000
/** Attempts are due 0, 5 and 15 s after the first, or each after the previous one. The last waits for an answer. */
const WATCH_MS = 25_000
const PRIVATE_URLS = [
  'http://localhost/',
  'http://127.0.0.1/',
  'http://127.9.9.9/',
  'http://10.0.0.1/',
  'http://192.168.0.1/',
  'http://169.254.169.254/latest/meta-data/',
  'http://[::1]/',
]

/** Tasks whose callbacks are answered in each manner, all watched at the same time. */
const watched = once(async (service: Service) => {
  const { receiver, clock, faults } = service.target
  if (receiver === undefined) notSeen('callbacks need CALLBACK_URL')
  const orders: [Manner, string, JsonObject][] = [
    ['take', IMAGE, PICTURE],
    ['refuse', IMAGE, PICTURE],
    ['silent', IMAGE, PICTURE],
    ['video', VIDEO, CLIP],
    ...(faults
      ? [['failed', IMAGE, { prompt: faults.failedPrompt }] as [Manner, string, JsonObject]]
      : []),
  ]
  await receiver.start()
  const ids: Partial<Record<string, number>> = {}
  for (const [manner, path, body] of orders) {
    const { answer, taskId } = await service.create(path, body, callbackUrl(service, manner))
    ids[manner] = taskId ?? notSeen(`the creation is answered with ${answer.status}`)
  }
  const ends: Record<string, JsonObject> = {}
  const follow = async ([manner]: [Manner, ...unknown[]]) => {
    ends[manner] = (await service.pollToEnd(ids[manner])).at(-1)?.body ?? {}
  }
  await Promise.all(orders.map(follow))
  await clock.sleep(WATCH_MS)
  const of = (manner: Manner) => receiver.arrivals.filter((each) => each.manner === manner)
  return { ids, ends, of, all: receiver.arrivals }
})

check(
  'a callback URL must be public, http or https, of 500 characters at most',
  async (service) => {
    const tooLong = `${service.target.receiver?.url ?? 'https://example.com'}/`
    const wrong = ['ftp://example.com/', 'here', tooLong.padEnd(URL_CHARS_MAX + 1, 'x')]
    for (const url of [...wrong, ...PRIVATE_URLS]) {
      const headers = { 'x-callback-url': url }
      const { status } = await service.ask('POST', IMAGE, { body: PICTURE, headers })
      if (status === 404) notSeen(`there is no endpoint ${IMAGE}`)
      // The interface does not name the status.
      expect([url, status >= 400 && status < 500]).toEqual([url, true])
    }
  },
)

check('a callback is a POST of JSON', async (service) => {
  for (const { method, headers, body } of await arrivalsOf(service)) {
    expect([method, headers['content-type']]).toEqual([
      'POST',
      expect.stringMatching(/^application\/json/),
    ])
    expect(isJsonObject(parseJson(body.toString()))).toBe(true)
  }
})

check('X-Callback-Timestamp is the time of the attempt in Unix seconds', async (service) => {
  const now = service.target.receiver?.secondsNow() ?? 0
  for (const { headers } of await arrivalsOf(service)) {
    expect(headers['x-callback-timestamp']).toMatch(/^\d+$/)
    expect(Math.abs(now - Number(headers['x-callback-timestamp']))).toBeLessThan(AGE_S_MAX)
  }
})

check(
  'every attempt is signed with the secret over the timestamp and the body',
  async (service) => {
    const { json } = await service.ask('GET', SECRET)
    const secret = readCallbackSecret(json) ?? notSeen('the secret has an unknown shape')
    for (const { headers, body } of await arrivalsOf(service)) {
      const timestamp = String(headers['x-callback-timestamp'])
      const { 'x-callback-signature': signature } = signCallback({ secret, timestamp, body })
      expect(headers['x-callback-signature']).toBe(signature)
    }
  },
)

check('a callback has all its fields, and the task and links of a poll', async (service) => {
  const { of, ids, ends } = await watched(service)
  for (const callback of of('take').map(bodyOf)) {
    expect(callback).toMatchObject({
      status: 'success',
      code: 200,
      error: null,
      model: expect.stringMatching(/./),
      timestamp: expect.any(Number),
    })
    expect(Number.isInteger(callback.timestamp)).toBe(true)
    expect(callback.task_id).toBe(ids.take)
    expect(callback.result_urls).toEqual(ends.take?.result_urls)
  }
})

check('any 2xx ends the attempts', async (service) => {
  const { of } = await watched(service)
  // The second attempt of the latter is answered with 202.
  expect([of('take').length, of('silent').length]).toEqual([1, 2])
})

check('a refused callback is sent three times, at 0, 5 and 15 seconds', async (service) => {
  const { of, ids } = await watched(service)
  const times = of('refuse').map(({ atMs }) => atMs)
  const [first = 0, second = 0, third = 0] = times
  expect(times).toHaveLength(3)
  expect(Math.abs(second - first - 5_000)).toBeLessThan(LATE_MS)
  // 15 s after the first or after the second attempt.
  expect(third - first).toBeGreaterThan(15_000 - LATE_MS)
  expect(third - second).toBeLessThan(15_000 + LATE_MS)
  // The first answer was a redirect.
  expect(of('followed')).toEqual([])
  expect((await service.poll(ids.refuse)).body.status).toBe('success')
})

check('an answer to a callback is awaited for about 10 seconds', async (service) => {
  const [{ atMs, cutAtMs = Number.POSITIVE_INFINITY } = notSeen('no callback came')] = (
    await watched(service)
  ).of('silent')
  expect(Math.abs(cutAtMs - atMs - READ_MS)).toBeLessThan(LATE_MS)
})

check('a failed task is reported with its code and error text', async (service) => {
  service.faults()
  const [arrival] = (await watched(service)).of('failed')
  expect(arrival && bodyOf(arrival)).toMatchObject({
    status: 'fail',
    code: expect.any(Number),
    result_urls: null,
    error: expect.any(String),
  })
  expect(arrival && bodyOf(arrival).code).not.toBe(200)
})

check('a video sends no callback', async (service) => {
  const { of, ends } = await watched(service)
  expect(ends.video?.status).toBe('success')
  expect(of('video')).toEqual([])
})

/** All attempts of successful tasks. */
async function arrivalsOf(service: Service): Promise<Arrival[]> {
  const { of } = await watched(service)
  const arrivals = [...of('take'), ...of('refuse')]
  return arrivals.length > 0 ? arrivals : notSeen('no callback came')
}

function bodyOf({ body }: Arrival): JsonObject {
  const json = parseJson(body.toString())
  return isJsonObject(json) ? json : {}
}
