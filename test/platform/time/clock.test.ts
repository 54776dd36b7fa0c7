import { expect, test } from 'vitest'
import { systemClock } from '../../../src/platform/time/clock.ts'

test('systemClock.sleep() lets at least its time pass', async () => {
  const before = systemClock.now()

  await systemClock.sleep(20)

  // Timers of Node are exact to a millisecond.
  expect(systemClock.now() - before).toBeGreaterThanOrEqual(19)
})

test('systemClock.sleep() rejects with the reason of a signal that aborts', async () => {
  const reason = new Error('stopped')
  const stopping = new AbortController()

  const sleeping = systemClock.sleep(60_000, stopping.signal)
  stopping.abort(reason)

  await expect(sleeping).rejects.toBe(reason)
  await expect(systemClock.sleep(60_000, AbortSignal.abort(reason))).rejects.toBe(reason)
})
