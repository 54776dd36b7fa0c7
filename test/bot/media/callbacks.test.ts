import { expect, test } from 'vitest'
import { signCallback } from '../../../src/contract/tasks.ts'
import { KEY, SECRET, SUCCESS, setUpCallbacks, TASK_ID } from './callback-setup.ts'

const UNTOUCHED = { calledBack: null, state: 'generating' }
const OTHER_KEY = KEY.replace('3', '4')

test('a callback is kept for the run of its order, and changes no state', async () => {
  const { post, order } = await setUpCallbacks()

  expect(await post()).toBe(200)

  expect(await order()).toMatchObject({ calledBack: SUCCESS, state: 'generating' })
})

test.each([
  ['of 295 s ago', 295, 200],
  ['of 302 s ago', 302, 400],
])('a callback %s (%i s) is answered with %i', async (_, ageS, status) => {
  const { post } = await setUpCallbacks()

  expect(await post({ ageS })).toBe(status)
})

test('a replay within five minutes is confirmed and changes nothing, a later one is refused', async () => {
  const { post, order, databaseClock } = await setUpCallbacks()
  await post()

  const replayed = await post({ body: { ...SUCCESS, result_urls: ['https://a.example.org/'] } })
  await databaseClock.advance(301_000)
  const late = await post({ ageS: 302 })

  expect([replayed, late]).toEqual([200, 400])
  expect(await order()).toMatchObject({ ...UNTOUCHED, calledBack: SUCCESS })
})

test.each([
  ['without a timestamp', { 'x-callback-timestamp': '' }, 400],
  ['without a signature', { 'x-callback-signature': '' }, 401],
])('a callback %s is refused and changes nothing', async (_, headers, status) => {
  const { post, order } = await setUpCallbacks()

  expect(await post({ headers })).toBe(status)
  expect(await order()).toMatchObject(UNTOUCHED)
})

test('a callback that is signed with another secret is refused, and the secret is asked for again after 20 s', async () => {
  const { post, order, asked, clock } = await setUpCallbacks()

  const statuses = [await post({ secret: 'x' }), await post({ secret: 'y' })]
  clock.advance(20_000)
  statuses.push(await post({ secret: 'x' }), await post({ secret: 'y' }))

  expect(statuses).toEqual([401, 401, 401, 401])
  expect(asked()).toBe(2)
  expect(await order()).toMatchObject(UNTOUCHED)
})

test('the secret of another account is learnt when the first one does not fit any more', async () => {
  const { post, clock } = await setUpCallbacks({ secrets: ['an older one', SECRET] })
  await post({ secret: 'an older one', key: OTHER_KEY })
  clock.advance(20_000)

  expect(await post()).toBe(200)
})

test('a service that does not give its secret is asked to call back again', async () => {
  const { post, clock, asked } = await setUpCallbacks({ secrets: [new Error('away'), SECRET] })

  const early = [await post(), await post()]
  const askedEarly = asked()
  clock.advance(20_000)

  expect(early).toEqual([503, 503])
  expect(askedEarly).toBe(1)
  expect(await post()).toBe(200)
})

test.each([
  ['no JSON', '{"task_id":'],
  ['a task that has not ended', JSON.stringify({ ...SUCCESS, status: 'generating' })],
])('a signed body of %s is refused with 400', async (_, raw) => {
  const { post, order } = await setUpCallbacks()

  expect(await post({ raw })).toBe(400)
  expect(await order()).toMatchObject(UNTOUCHED)
})

test('what is signed are the bytes, not the JSON that they mean', async () => {
  const { http, order } = await setUpCallbacks()
  const timestamp = String(Math.floor(Date.now() / 1000))
  const body = Buffer.from(JSON.stringify(SUCCESS))
  const headers = signCallback({ secret: SECRET, timestamp, body })

  const payload = JSON.stringify(SUCCESS, null, 1)
  const { statusCode } = await http.inject({
    method: 'POST',
    url: `/callbacks/${KEY}`,
    headers,
    payload,
  })

  expect(statusCode).toBe(401)
  expect(await order()).toMatchObject(UNTOUCHED)
})

test('a body of more than 64 KiB is refused with 413 before anything of it is judged', async () => {
  const { post, asked } = await setUpCallbacks()

  expect(await post({ raw: JSON.stringify({ ...SUCCESS, error: 'x'.repeat(65_536) }) })).toBe(413)
  expect(asked()).toBe(0)
})

test.each([
  ['of a task that is not the order’s', { body: { ...SUCCESS, task_id: TASK_ID + 1 } }],
  ['for no order', { key: OTHER_KEY }],
])('a signed callback %s is confirmed and ignored', async (_, posted) => {
  const { post, order } = await setUpCallbacks()

  expect(await post(posted)).toBe(200)
  expect(await order()).toMatchObject(UNTOUCHED)
})
