import { expect, test } from 'vitest'
import { createPollPace, pollDelayMs } from '../../../src/bot/media/poll-pace.ts'

const YOUNG = 60_000

test.each([
  [0, 3_000],
  [599_999, 3_000],
  [600_000, 10_000],
  [86_400_000, 10_000],
])('a clip of %d ms is looked at every %d ms', (ageMs, delayMs) => {
  expect(pollDelayMs(ageMs)).toBe(delayMs)
})

test('each task has its own pace', () => {
  const pace = createPollPace()
  pace.answered(1n, 10_000, YOUNG)

  expect(pace.turnOf(1n, 11_000)).toBe(13_000)
  expect(pace.turnOf(2n, 11_000)).toBeLessThanOrEqual(11_000)
})

test('after a refusal the whole account looks once in three seconds, in the order of asking', () => {
  const pace = createPollPace()
  pace.refused(1n, 10_000, undefined)

  const turns = [2n, 3n, 4n].map((orderId) => pace.turnOf(orderId, 10_000))

  expect(turns).toEqual([13_300, 16_600, 19_900])
  expect(pace.turnOf(3n, 15_000)).toBe(16_600) // A turn stays whose it is.
})

test('turns that were missed are not made up for all at once', () => {
  const pace = createPollPace()
  pace.refused(1n, 10_000, undefined)
  for (const orderId of [2n, 3n]) pace.turnOf(orderId, 10_000)

  const late = [2n, 3n].map((orderId) => pace.turnOf(orderId, 60_000))

  expect(late).toEqual([13_300, 63_300])
})

test('a refusal that names a longer wait is obeyed by every task', () => {
  const pace = createPollPace()
  pace.refused(1n, 10_000, 30_000)

  expect(pace.turnOf(2n, 10_000)).toBe(40_000)
  expect(pace.turnOf(1n, 10_000)).toBe(40_000)
})

test('room is looked for by halving the gap every 20 s, and a refusal closes it again', () => {
  const pace = createPollPace()
  pace.refused(1n, 0, undefined)
  const gaps: number[] = []

  for (let now = 20_000; now <= 140_000; now += 20_000) {
    pace.answered(1n, now, YOUNG)
    const [first, second] = [pace.turnOf(2n, now), pace.turnOf(3n, now)]
    gaps.push(second - first)
    pace.forget(2n)
    pace.forget(3n)
  }
  pace.refused(1n, 150_000, undefined)

  expect(gaps).toEqual([1_650, 825, 412.5, 206.25, 103.125, 0, 0])
  expect([2n, 3n].map((orderId) => pace.turnOf(orderId, 150_000))).toEqual([153_300, 156_600])
})
