import { expect, test } from 'vitest'
import { backoffMs } from '../../../src/platform/time/backoff.ts'

test('backoffMs() doubles from the first wait up to the longest', () => {
  const waits = [1, 2, 3, 4, 5].map((attempts) =>
    backoffMs({ firstMs: 500, maxMs: 3000 }, attempts),
  )

  expect(waits).toEqual([500, 1000, 2000, 3000, 3000])
})

test('backoffMs() stays at the longest wait after any number of attempts', () => {
  expect(backoffMs({ firstMs: 500, maxMs: 3000 }, 1_000_000)).toBe(3000)
})
