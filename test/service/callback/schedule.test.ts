import { expect, test } from 'vitest'
import { nextAttemptInMs } from '../../../src/service/callback/schedule.ts'

test.each([
  [0, 0, 0],
  [0, -250, 250],
  [0, 86_400_000, 0],
  [1, 0, 5000],
  [1, 4999, 1],
  [1, 5000, 0],
  [2, 5000, 10_000],
  [2, 14_999, 1],
  [2, 15_000, 0],
  // The second one took until here: the third has waited for it.
  [2, 20_000, 0],
  [3, 15_000, undefined],
  [3, 86_400_000, undefined],
])(
  'nextAttemptInMs() after %i attempts, %i ms after the end: %s',
  (attempts, sinceEndMs, waitMs) => {
    expect(nextAttemptInMs({ attempts, sinceEndMs })).toBe(waitMs)
  },
)
