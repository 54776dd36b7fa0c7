import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Gate, gateAfter, nextSlots } from '../../../src/bot/queue/rate-limit.ts'

const WINDOW_MS = 61_000
const NOW = 1_000_000
const OPEN: Gate = { sentAt: [], closedUntil: 0, awayTries: 0 }

test('as many requests as the limit go at once, the next ones a window after those', () => {
  expect(nextSlots(5, OPEN, { limit: 2, now: NOW })).toEqual([
    NOW,
    NOW,
    NOW + WINDOW_MS,
    NOW + WINDOW_MS,
    NOW + 2 * WINDOW_MS,
  ])
})

test('a slot opens when the oldest of the last requests leaves the window', () => {
  const gate = { ...OPEN, sentAt: [NOW - 1_000, NOW - 50_000, NOW - 20_000] }

  expect(nextSlots(3, gate, { limit: 3, now: NOW })).toEqual([
    NOW + 11_000,
    NOW + 41_000,
    NOW + 60_000,
  ])
})

test('more requests than the limit, sent while it was higher, hold back the next one', () => {
  const gate = { ...OPEN, sentAt: [NOW - 4_000, NOW - 3_000, NOW - 2_000] }

  expect(nextSlots(1, gate, { limit: 1, now: NOW })).toEqual([NOW + 59_000])
})

test.each([
  ['for as long as the service asks, and a second', 20_000, 21_000],
  ['for at least two seconds', 0, 2_000],
  ['for five minutes at most, and a second', 3_600_000, 301_000],
])('a refusal closes the gate %s', (_name, closesMs, expectedMs) => {
  const gate = gateAfter(OPEN, [{ closesMs }], NOW)

  expect(nextSlots(1, gate, { limit: 30, now: NOW })).toEqual([NOW + expectedMs])
})

test('a shorter wait that is asked for later does not open a closed gate', () => {
  const closed = gateAfter(OPEN, [{ closesMs: 60_000 }, { closesMs: 1_000 }], NOW)

  expect(gateAfter(closed, [{ closesMs: 5_000 }], NOW + 1_000)).toEqual(closed)
})

test('a request that did not count gives its slot back, and another of the same instant keeps its own', () => {
  const gate = { ...OPEN, sentAt: [NOW, NOW] }

  const after = gateAfter(gate, [{ uncountedAt: NOW }], NOW)

  expect(after.sentAt).toEqual([NOW])
})

test('requests that are older than the window are forgotten', () => {
  const gate = { ...OPEN, sentAt: [NOW - WINDOW_MS, NOW - WINDOW_MS + 1] }

  expect(gateAfter(gate, [], NOW).sentAt).toEqual([NOW - WINDOW_MS + 1])
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

test('a service that is away is tried every 20 s at first, then less and less often, up to a minute', () => {
  const waits: number[] = []
  let gate = OPEN

  for (let tries = 0; tries < 8; tries += 1) {
    gate = gateAfter(gate, [{ isAway: true }], NOW)
    waits.push((nextSlots(1, gate, { limit: 3, now: NOW })[0] ?? 0) - NOW)
  }

  expect(waits).toEqual([21_000, 21_000, 21_000, 31_000, 46_000, 61_000, 61_000, 61_000])
})

test('a longer wait that a service asks for is obeyed also while it is away', () => {
  const gate = gateAfter(OPEN, [{ isAway: true, closesMs: 120_000 }], NOW)

  expect(gate.closedUntil).toBe(NOW + 121_000)
})

test('while the service is away one request goes after the other, also before the last has an answer', () => {
  const gate = { ...OPEN, awayTries: 1, sentAt: [NOW - 5_000] }

  expect(nextSlots(3, gate, { limit: 3, now: NOW })).toEqual([
    NOW + 15_000,
    NOW + 35_000,
    NOW + 56_000,
  ])
})

test.each([
  ['an answer', { isHeard: true }],
  ['a refusal for now', { closesMs: 1_000 }],
])('%s ends that the service is away', (_name, outcome) => {
  expect(gateAfter({ ...OPEN, awayTries: 5 }, [outcome], NOW).awayTries).toBe(0)
})

test('a request that a service which is away may have counted keeps its slot', () => {
  const gate = { ...OPEN, sentAt: [NOW - 1_000] }

  expect(gateAfter(gate, [{ isAway: true }], NOW).sentAt).toEqual([NOW - 1_000])
  expect(gateAfter(gate, [{ isAway: true, uncountedAt: NOW - 1_000 }], NOW).sentAt).toEqual([])
})
