import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createPatience } from '../../../src/service/providers/patience.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

test('a wait that is too long is told of', () => {
  const lost = vi.fn()
  const patience = createPatience(lost)

  patience.begin(100)
  vi.advanceTimersByTime(99)
  const before = lost.mock.calls.length
  vi.advanceTimersByTime(1)

  expect([before, lost.mock.calls.length]).toEqual([0, 1])
})

test('each wait has its whole time, also after one of another length', () => {
  const lost = vi.fn()
  const patience = createPatience(lost)

  for (const waitMs of [100, 100, 1000, 1000, 100]) {
    patience.begin(waitMs)
    vi.advanceTimersByTime(waitMs - 1)
    patience.end()
  }

  expect(lost).not.toHaveBeenCalled()
})

test('time between two waits does not count, however long', () => {
  const lost = vi.fn()
  const patience = createPatience(lost)
  patience.begin(100)
  patience.end()
  vi.advanceTimersByTime(10_000)

  patience.begin(100)
  vi.advanceTimersByTime(99)
  const before = lost.mock.calls.length
  vi.advanceTimersByTime(1)

  expect([before, lost.mock.calls.length]).toEqual([0, 1])
})

test('stop() leaves no timer behind', () => {
  const patience = createPatience(() => {})
  patience.begin(100)
  patience.begin(200)

  patience.stop()

  expect(vi.getTimerCount()).toBe(0)
})
