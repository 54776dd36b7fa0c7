import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createSilenceTimer } from '../../../../src/service/providers/openai/silence-timer.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

test('createSilenceTimer() reports a wait that is too long', () => {
  const onSilence = vi.fn()
  const timer = createSilenceTimer(onSilence)

  timer.begin(100)
  vi.advanceTimersByTime(99)
  const before = onSilence.mock.calls.length
  vi.advanceTimersByTime(1)

  expect([before, onSilence.mock.calls.length]).toEqual([0, 1])
})

test('createSilenceTimer() gives each wait its whole time, also after one of another length', () => {
  const onSilence = vi.fn()
  const timer = createSilenceTimer(onSilence)

  for (const waitMs of [100, 100, 1000, 1000, 100]) {
    timer.begin(waitMs)
    vi.advanceTimersByTime(waitMs - 1)
    timer.end()
  }

  expect(onSilence).not.toHaveBeenCalled()
})

test('createSilenceTimer() does not count the time between two waits, however long', () => {
  const onSilence = vi.fn()
  const timer = createSilenceTimer(onSilence)
  timer.begin(100)
  timer.end()
  vi.advanceTimersByTime(10_000)

  timer.begin(100)
  vi.advanceTimersByTime(99)
  const before = onSilence.mock.calls.length
  vi.advanceTimersByTime(1)

  expect([before, onSilence.mock.calls.length]).toEqual([0, 1])
})

test('createSilenceTimer() leaves no timer behind when it is stopped', () => {
  const timer = createSilenceTimer(() => {})
  timer.begin(100)
  timer.begin(200)

  timer.stop()

  expect(vi.getTimerCount()).toBe(0)
})
