import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Gate, gateAfter, nextSlots } from '../../src/bot/rate-limit.ts'

const WINDOW_MS = 61_000
const NOW = 1_000_000
const OPEN: Gate = { sentAt: [], closedUntil: 0, isAway: false }

test('as many requests as the limit go at once, the next ones a window after those', () => {
  expect(nextSlots(5, OPEN, { limit: 2, now: NOW })).toEqual([
    NOW,
    NOW,
    NOW + WINDOW_MS,
    NOW + WINDOW_MS,
    NOW + 2 * WINDOW_MS,
  ])
})

test.each([
  ['for as long as the service asks, and a second', 20_000, 21_000],
  ['for at least two seconds', 0, 2_000],
  ['for five minutes at most, and a second', 3_600_000, 301_000],
])('a refusal closes the gate %s', (_name, closesMs, expectedMs) => {
  const gate = gateAfter(OPEN, [{ closesMs }], NOW)

  expect(nextSlots(1, gate, { limit: 30, now: NOW })).toEqual([NOW + expectedMs])
})

test('the limit is kept in any window and a free slot is used, however slots are taken', () => {
  const steps = fc.array(
    fc.record({ afterMs: fc.nat(40_000), wanted: fc.nat(6), isUncounted: fc.boolean() }),
    { maxLength: 60 },
  )
  fc.assert(
    fc.property(steps, fc.integer({ min: 1, max: 5 }), (all, limit) => {
      let gate: Gate = OPEN
      let now = NOW
      let counted: number[] = []
      for (const { afterMs, wanted, isUncounted } of all) {
        now += afterMs
        gate = gateAfter(gate, [], now)
        const within = counted.filter((at) => at + WINDOW_MS > now).length

        const going = nextSlots(wanted, gate, { limit, now }).filter((at) => at <= now)

        expect(going).toHaveLength(Math.min(wanted, limit - within))
        gate = { ...gate, sentAt: [...gate.sentAt, ...going] }
        if (isUncounted && going.length > 0) gate = gateAfter(gate, [{ uncountedAt: now }], now)
        counted = [...counted, ...going.slice(isUncounted ? 1 : 0)]
      }
    }),
  )
})

test('while the service is away one request goes after the other, also before the last has an answer', () => {
  const gate = { ...OPEN, isAway: true, sentAt: [NOW - 5_000] }

  expect(nextSlots(3, gate, { limit: 3, now: NOW })).toEqual([
    NOW + 15_000,
    NOW + 35_000,
    NOW + 56_000,
  ])
})
