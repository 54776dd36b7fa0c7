import { expect, test } from 'vitest'
import { createInstanceCount } from '../../src/database/instance-count.ts'
import { createManualClock } from '../manual-clock.ts'

test('living processes are counted when they are asked for, at most every five seconds', async () => {
  const clock = createManualClock()
  const counts = [2, 3]
  const instances = createInstanceCount({
    count: async () => counts.shift() ?? 0,
    clock,
    onError: () => {},
  })

  expect(instances()).toBe(1)
  await Promise.resolve()
  expect([instances(), instances()]).toEqual([2, 2])
  clock.advance(5000)
  instances()
  await Promise.resolve()
  expect(instances()).toBe(3)
})

test('the last count of processes stands while the database is away, and is never below one', async () => {
  const clock = createManualClock()
  const answers = [4, new Error('away'), 0]
  const count = async () => {
    const answer = answers.shift()
    if (typeof answer === 'number') return answer
    throw answer
  }
  const instances = createInstanceCount({ count, clock, onError: () => {} })
  const seen: number[] = []
  for (let round = 0; round < 3; round += 1) {
    instances()
    await new Promise((done) => setImmediate(done))
    seen.push(instances())
    clock.advance(5000)
  }

  expect(seen).toEqual([4, 4, 1])
})
