import { expect, test } from 'vitest'
import { type DeliveryStep, nextDeliveryStep } from '../../../src/service/callback/schedule.ts'

test.each<[number, number, DeliveryStep]>([
  [0, 0, { do: 'attempt', number: 1 }],
  [0, -250, { do: 'wait', delayMs: 250 }],
  [0, 86_400_000, { do: 'attempt', number: 1 }],
  [1, 0, { do: 'wait', delayMs: 5000 }],
  [1, 4999, { do: 'wait', delayMs: 1 }],
  [1, 5000, { do: 'attempt', number: 2 }],
  [2, 5000, { do: 'wait', delayMs: 10_000 }],
  [2, 14_999, { do: 'wait', delayMs: 1 }],
  [2, 15_000, { do: 'attempt', number: 3 }],
  // The second one took until here: the third has waited for it.
  [2, 20_000, { do: 'attempt', number: 3 }],
  [3, 15_000, { do: 'give up' }],
  [3, 86_400_000, { do: 'give up' }],
])(
  'nextDeliveryStep() after %i attempts, %i ms after the end: %j',
  (attempts, sinceEndMs, step) => {
    expect(nextDeliveryStep({ attempts, sinceEndMs })).toEqual(step)
  },
)
