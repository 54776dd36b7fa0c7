import { expect, test } from 'vitest'
import { createPollPace, pollDelayMs } from '../../../../src/bot/media/task/poll-pace.ts'
import { createManualClock } from '../../../platform/time/manual-clock.ts'

const NEVER = new AbortController().signal

test.each([
  [0, 3_000],
  [599_999, 3_000],
  [600_000, 10_000],
  [86_400_000, 10_000],
])('a clip of %d ms is looked at every %d ms', (ageMs, delayMs) => {
  expect(pollDelayMs(ageMs)).toBe(delayMs)
})

test('after a refusal the whole account looks once in three seconds, in the order of asking', async () => {
  const { pace, looks, ask, clock } = openPace()
  pace.refused(undefined)

  ask('a', 'b', 'c')
  await clock.run(10_000)

  expect(looks).toEqual([
    ['a', 3_300],
    ['b', 6_600],
    ['c', 9_900],
  ])
})

test('a refusal that names a longer wait is obeyed by every look that waits', async () => {
  const { pace, looks, ask, clock } = openPace()
  pace.refused(undefined)
  ask('a')
  pace.refused(30_000)

  await clock.run(60_000)

  expect(looks).toEqual([['a', 30_000]])
})

test('the gap is halved every 20 s without a refusal, and a refusal brings it back', async () => {
  const { pace, looks, ask, clock } = openPace()
  const gapNow = async () => {
    looks.length = 0
    ask('a', 'b')
    await clock.run(10_000)
    const [[, first = 0] = [], [, second = 0] = []] = looks
    return second - first
  }
  pace.refused(undefined)
  const gaps: number[] = []

  for (let count = 0; count < 6; count++) {
    await clock.run(20_000)
    pace.answered()
    gaps.push(await gapNow())
  }
  pace.refused(undefined)

  expect(gaps).toEqual([1_650, 825, 413, 206, 103, 0])
  expect(await gapNow()).toBe(3_300)
})

function openPace() {
  const clock = createManualClock()
  const pace = createPollPace({ clock, pollMs: 3_000 })
  const looks: [string, number][] = []
  return { pace, looks, clock, ask }

  function ask(...names: string[]): void {
    for (const name of names) {
      void pace.turn(NEVER).then(() => looks.push([name, Math.round(clock.now())]))
    }
  }
}
