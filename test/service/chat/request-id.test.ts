import { expect, onTestFinished, test, vi } from 'vitest'
import { makeRequestId } from '../../../src/service/chat/request-id.ts'

const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

test('ids of requests are UUIDs of version 7, in the order of their milliseconds', () => {
  vi.useFakeTimers({ toFake: ['Date'], now: 0 })
  onTestFinished(() => void vi.useRealTimers())
  // The example of RFC 9562, A.6.
  const time = Date.parse('2022-02-22T14:22:22-05:00')
  const times = [1, 0x10_0000, time, time + 1, Date.UTC(2100)]

  const ids = times.map((time) => {
    vi.setSystemTime(time)
    return makeRequestId()
  })

  expect(ids).toEqual(ids.map(() => expect.stringMatching(UUID_V7)))
  expect(ids).toEqual(ids.toSorted())
  expect(ids[2]).toMatch(/^017f22e2-79b0-7/)
})

test('ids of one millisecond are different', () => {
  expect(new Set(Array.from({ length: 10_000 }, makeRequestId)).size).toBe(10_000)
})
