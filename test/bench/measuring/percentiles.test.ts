import { expect, test } from 'vitest'
import { percentile } from './percentiles.ts'

test('percentile() is the smallest sample that the share does not exceed', () => {
  const samples = [50, 15, 40, 20, 35]

  expect(percentile(samples, 0.05)).toBe(15)
  expect(percentile(samples, 0.3)).toBe(20)
  expect(percentile(samples, 0.4)).toBe(20)
  expect(percentile(samples, 0.5)).toBe(35)
  expect(percentile(samples, 1)).toBe(50)
})

test('percentile() compares numbers, not their texts, and leaves the samples in their order', () => {
  const samples = [100, 9, 20]

  expect(percentile(samples, 0.5)).toBe(20)
  expect(samples).toEqual([100, 9, 20])
})

test.each([
  { samples: [], share: 0.5 },
  { samples: [1], share: 0 },
  { samples: [1], share: 1.1 },
])('percentile() refuses share $share of $samples', ({ samples, share }) => {
  expect(() => percentile(samples, share)).toThrow(RangeError)
})
