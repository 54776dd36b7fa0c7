import { expect, test } from 'vitest'
import { systemClock } from '../../../src/platform/time/clock.ts'
import { findUpdateChanges } from '../../../src/playground/store/find-update-changes.ts'

function queueOf(ids: readonly number[]) {
  return ids.map((id) => ({ update: { update_id: id }, expiresAt: systemClock.now() + 1000 }))
}

test.each<{ before: number[]; now: number[]; added: number[]; taken: number[] }>([
  { before: [], now: [], added: [], taken: [] },
  { before: [], now: [1, 2], added: [1, 2], taken: [] },
  { before: [1, 2], now: [1, 2], added: [], taken: [] },
  { before: [1, 2], now: [1, 2, 3], added: [3], taken: [] },
  { before: [1, 2, 3], now: [3], added: [], taken: [1, 2] },
  { before: [1, 2, 3], now: [1, 3], added: [], taken: [2] },
  { before: [1, 2], now: [3, 4], added: [3, 4], taken: [1, 2] },
  { before: [1, 2, 3], now: [], added: [], taken: [1, 2, 3] },
])('of $before, then $now, $added came and $taken went', ({ before, now, added, taken }) => {
  const found = findUpdateChanges(queueOf(now), before, systemClock)

  expect(found.added.map(({ updateId }) => updateId)).toEqual(added)
  expect(found.taken).toEqual(taken)
  expect(found.ids).toEqual(now)
})

test('an update is kept until the same time of day', () => {
  const [added] = findUpdateChanges(queueOf([1]), [], systemClock).added

  expect(added?.expiresAt).toBeGreaterThan(Date.now())
  expect(added?.expiresAt).toBeLessThanOrEqual(Date.now() + 1001)
})
