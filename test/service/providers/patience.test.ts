import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createPatience } from '../../../src/service/providers/patience.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

test('a wait that is too long aborts the connection', () => {
  const connection = new AbortController()
  const patience = createPatience(connection)

  patience.begin(100)
  vi.advanceTimersByTime(99)
  const before = connection.signal.aborted
  vi.advanceTimersByTime(1)

  expect([before, connection.signal.aborted]).toEqual([false, true])
})

test('each wait has its whole time, also after one of another length', () => {
  const connection = new AbortController()
  const patience = createPatience(connection)

  for (const waitMs of [100, 100, 1000, 1000, 100]) {
    patience.begin(waitMs)
    vi.advanceTimersByTime(waitMs - 1)
    patience.end()
  }

  expect(connection.signal.aborted).toBe(false)
})

test('time between two waits does not count, however long', () => {
  const connection = new AbortController()
  const patience = createPatience(connection)
  patience.begin(100)
  patience.end()
  vi.advanceTimersByTime(10_000)

  patience.begin(100)
  vi.advanceTimersByTime(99)
  const before = connection.signal.aborted
  vi.advanceTimersByTime(1)

  expect([before, connection.signal.aborted]).toEqual([false, true])
})

test('stop() leaves no timer behind', () => {
  const patience = createPatience(new AbortController())
  patience.begin(100)
  patience.begin(200)

  patience.stop()

  expect(vi.getTimerCount()).toBe(0)
})
