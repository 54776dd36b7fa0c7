import { expect, test } from 'vitest'
import { InFlight } from '../../src/platform/in-flight.ts'

test('work in flight is listed until it is removed, in whatever order, and a removal may be repeated', () => {
  const inFlight = new InFlight<number>()
  const [first, second, third] = [1, 2, 3].map((value) => inFlight.add(value))

  const all = inFlight.list()
  second?.()
  second?.()
  const withoutSecond = inFlight.list()
  third?.()
  inFlight.add(4)
  first?.()

  expect([all, withoutSecond, inFlight.list()]).toEqual([[3, 2, 1], [3, 1], [4]])
})
