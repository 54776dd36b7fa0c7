import { expect, test, vi } from 'vitest'
import { backoffMs, retry } from '../../../src/platform/time/retry.ts'
import { createManualClock } from './manual-clock.ts'

test('retry() resolves with the first attempt that succeeds, after the waits it was given', async () => {
  const clock = createManualClock()
  const step = vi
    .fn<() => Promise<string>>()
    .mockRejectedValueOnce(new Error('first'))
    .mockRejectedValueOnce(new Error('second'))
    .mockResolvedValueOnce('done')
  const delayAfter = vi.fn((_error: unknown, attempts: number) => attempts * 100)

  const trying = retry(step, { clock, delayAfter })
  await clock.run(299)
  const before = step.mock.calls.length
  await clock.run(1)

  expect(before).toBe(2)
  expect(await trying).toBe('done')
  expect(delayAfter.mock.calls).toEqual([
    [new Error('first'), 1],
    [new Error('second'), 2],
  ])
})

test('retry() throws what an attempt threw when no other is to follow', async () => {
  const error = new Error('final')
  const step = vi.fn(() => Promise.reject(error))

  const trying = retry(step, { clock: createManualClock(), delayAfter: () => undefined })

  await expect(trying).rejects.toBe(error)
  expect(step).toHaveBeenCalledOnce()
})

test('retry() throws the reason of a signal that aborted during an attempt', async () => {
  const stopping = new AbortController()
  const reason = new Error('stopped')
  const delayAfter = vi.fn(() => 100)
  const step = async () => {
    stopping.abort(reason)
    throw new Error('failed')
  }

  const trying = retry(step, { clock: createManualClock(), signal: stopping.signal, delayAfter })

  await expect(trying).rejects.toBe(reason)
  expect(delayAfter).not.toHaveBeenCalled()
})

test('backoffMs() doubles from the first wait up to the longest', () => {
  const waits = [1, 2, 3, 4, 5].map((attempts) =>
    backoffMs({ firstMs: 500, maxMs: 3000 }, attempts),
  )

  expect(waits).toEqual([500, 1000, 2000, 3000, 3000])
})
