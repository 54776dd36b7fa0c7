import { expect, test } from 'vitest'
import { createSubmissionQueue } from '../../../src/bot/queue/submission-queue.ts'

test('at most three orders are handed over at once, the first in line first', async () => {
  const { line, begun, end } = scene([1, 2, 3, 4, 5])

  line.kick()
  line.kick()
  await settled()
  expect(begun).toEqual([1, 2, 3])

  end(2)
  await settled()
  expect(begun).toEqual([1, 2, 3, 4])
})

test('a closed line hands nothing over, and goes on at the next kick after its time', async () => {
  const { line, begun, clock } = scene([1])
  line.wait(5_000)
  line.wait(1_000) // An earlier instant changes nothing.

  clock.now = 4_999
  line.kick()
  await settled()
  expect(begun).toEqual([])

  clock.now = 5_000
  line.kick()
  await settled()
  expect(begun).toEqual([1])
})

test('an order that closes the line while it is handed over is not taken again by another', async () => {
  const { line, begun, end, waiting } = scene([1])
  line.kick()
  await settled()

  // As an order does that the service refuses for now: the line closes, then the order is free.
  line.wait(5_000)
  waiting.push(1)
  line.kick()
  end(1)
  await settled()

  expect(begun).toEqual([1])
})

test('stopping waits for what is under way and takes no more', async () => {
  const { line, begun, end } = scene([1, 2, 3, 4])
  line.kick()
  await settled()

  const stopped = line.stop()
  for (const order of [1, 2, 3]) end(order)
  await stopped

  expect(begun).toEqual([1, 2, 3])
})

/** A line of numbered orders, each under way until it is ended. */
function scene(waiting: number[]) {
  const clock = { now: 0 }
  const begun: number[] = []
  const ends = new Map<number, () => void>()
  const line = createSubmissionQueue<number>({
    now: () => clock.now,
    takeNext: async () => waiting.shift(),
    submit: (order) => {
      begun.push(order)
      const { promise, resolve } = Promise.withResolvers<void>()
      ends.set(order, resolve)
      return promise
    },
  })
  return { line, begun, clock, waiting, end: (order: number) => ends.get(order)?.() }
}

/** Lets everything run that waits for nothing outside. */
function settled(): Promise<void> {
  return new Promise((done) => setImmediate(done))
}
