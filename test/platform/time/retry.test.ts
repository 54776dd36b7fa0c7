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

test('backoffMs() doubles from the first wait up to the longest', () => {
  const waits = [1, 2, 3, 4, 5].map((attempts) =>
    backoffMs({ firstMs: 500, maxMs: 3000 }, attempts),
  )

  expect(waits).toEqual([500, 1000, 2000, 3000, 3000])
})
