import { expect, test } from 'vitest'
import { createDeadline } from '../../../../src/bot/media/task/deadline.ts'
import { createManualClock } from '../../../platform/time/manual-clock.ts'

function openDeadline(read: () => Promise<number>) {
  const clock = createManualClock()
  const rules = { read: async () => ({ deadlineMs: await read() }) as never }
  return { clock, ...createDeadline({ rules, clock, log: { warn: () => {} } }) }
}

test('nothing is overdue before the rule is known, and everything as old as it says after that', async () => {
  const { isOver } = openDeadline(async () => 1_000)

  expect(isOver(5_000)).toBe(false)
  await new Promise(setImmediate)

  expect([isOver(999), isOver(1_000)]).toEqual([false, true])
})

test('a rule is read once in half a minute, however many ask, and again after it could not be read', async () => {
  const rules = [
    async () => 1_000,
    async () => Promise.reject(new Error('away')),
    async () => 2_000,
  ]
  let reads = 0
  const { isOver, clock } = openDeadline(() => rules[reads++]?.() ?? Promise.resolve(0))
  const overs: boolean[] = []

  for (const _ of rules) {
    for (let count = 0; count < 100; count += 1) isOver(0)
    await new Promise(setImmediate)
    overs.push(isOver(1_500))
    clock.advance(30_000)
  }

  expect(reads).toBe(3)
  expect(overs).toEqual([true, true, false])
})
