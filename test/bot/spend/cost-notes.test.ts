import { expect, test } from 'vitest'
import { isShown } from '../../../src/bot/spend/cost-notes.ts'

test.each([
  [5_000_000n, 5_000_000n, true],
  [4_999_999n, 5_000_000n, false],
  [1n, 0n, true],
  [0n, 0n, false],
  [5_000_000n, 'off', false],
] as const)('a cost of %s is shown from %s on: %s', (amountMicroRub, note, shown) => {
  expect(isShown(amountMicroRub, note)).toBe(shown)
})
