import { expect, onTestFinished, test } from 'vitest'
import { createReach } from '../../../src/process/epoch/reach.ts'
import { createManualClock } from '../../platform/time/manual-clock.ts'

function open({ answers }: { answers: boolean }) {
  const clock = createManualClock()
  const askedMs: number[] = []
  const outside = { answers }
  const reach = createReach({
    clock,
    async ask() {
      askedMs.push(clock.now())
      if (!outside.answers) throw new Error('away')
      reach.recordAnswer()
    },
  })
  onTestFinished(reach.stop)
  reach.start()
  return { reach, clock, askedMs, outside }
}

test('a server that no other part asks is asked every 50 s, and counts as reached', async () => {
  const { reach, clock, askedMs } = open({ answers: true })

  await clock.run(149_000)

  expect(askedMs).toEqual([0, 50_000, 100_000])
  expect(reach.isReached()).toBe(true)
})

test('what answers others is not asked', async () => {
  const { reach, clock, askedMs } = open({ answers: true })

  for (let second = 0; second < 200; second += 45) {
    await clock.run(45_000)
    reach.recordAnswer()
  }

  expect(askedMs).toEqual([0])
})

// Promise: Telegram or a remote service does not answer for a minute
test('what does not answer for a minute is not reached, and is again with its first answer', async () => {
  const { reach, clock, outside } = open({ answers: true })
  await clock.run(1_000)
  outside.answers = false

  await clock.run(58_000)
  const withinMinute = reach.isReached()
  await clock.run(2_000)
  const after = reach.isReached()
  outside.answers = true
  await clock.run(5_000)

  expect([withinMinute, after, reach.isReached()]).toEqual([true, false, true])
})
