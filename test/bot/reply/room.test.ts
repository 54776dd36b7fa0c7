import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createRoom, type Room, TRY_AFTER_MS, WINDOW_MS } from '../../../src/bot/reply/room.ts'

/** Late enough for the room to know a whole minute. */
const KNOWN_AT = 100_000

test('a service that never refuses has no limit', () => {
  const room = createRoom(0)

  for (let count = 0; count < 500; count++) room.send(0)

  expect(room.opensAt(0)).toBe(0)
})

test('a refusal closes the room for as long as it asks, and a second', () => {
  const room = createRoom(0)
  room.send(KNOWN_AT)
  const sent = room.send(KNOWN_AT)

  room.refuse(sent, KNOWN_AT, 20_000)

  expect(room.opensAt(KNOWN_AT)).toBe(KNOWN_AT + WINDOW_MS)
  const other = createRoom(0)
  other.refuse(other.send(KNOWN_AT), KNOWN_AT, 20_000)
  expect(other.opensAt(KNOWN_AT)).toBe(KNOWN_AT + 21_000)
})

test.each([
  [undefined, 11_000],
  [0, 2_000],
  [3600_000, 301_000],
])('a refusal that asks for %j closes it for %i ms', (retryAfterMs, closedMs) => {
  const room = createRoom(0)

  room.refuse(room.send(KNOWN_AT), KNOWN_AT, retryAfterMs)

  expect(room.opensAt(KNOWN_AT)).toBe(KNOWN_AT + closedMs)
})

test('the limit is what a burst got through, in any window from then on', () => {
  const room = learn(10)

  const at = KNOWN_AT + WINDOW_MS
  expect(countAt(room, at)).toBe(10)
  expect(room.opensAt(at)).toBe(at + WINDOW_MS)
  expect(room.opensFor(1, at)).toBe(at + WINDOW_MS)
  expect(room.opensFor(11, at)).toBe(at + 2 * WINDOW_MS)
})

test('what never came to the limit does not count', () => {
  const room = learn(1)
  const at = KNOWN_AT + WINDOW_MS

  room.forget(room.send(at))

  expect(room.opensAt(at)).toBe(at)
})

test('after five minutes without a refusal one more is tried, alone, then the next', () => {
  const room = learn(2)
  const at = KNOWN_AT + TRY_AFTER_MS

  expect(countAt(room, at)).toBe(2)
  expect(room.opensAt(at)).toBe(at + 2_000)
  expect(countAt(room, at + 2_000)).toBe(1)
  expect(countAt(room, at + 4_000)).toBe(1)
})

test('an answer says sooner that a request was not refused', () => {
  const room = learn(1)
  const at = KNOWN_AT + TRY_AFTER_MS

  for (let count = 0; count < 5; count++) {
    expect(room.opensAt(at)).toBe(at)
    room.accept(room.send(at))
  }
})

test('a trial that is refused brings the limit back for another five minutes', () => {
  const room = learn(2)
  const at = KNOWN_AT + TRY_AFTER_MS
  room.accept(room.send(at))
  room.accept(room.send(at))

  room.refuse(room.send(at), at, 60_000)

  expect(countAt(room, at + WINDOW_MS)).toBe(2)
  expect(countAt(room, at + WINDOW_MS)).toBe(0)
})

test('what is learnt in the first minute, beside requests of the last run, is tried at once', () => {
  const room = createRoom(0)
  room.refuse(room.send(1_000), 1_000, 30_000)

  const at = 32_000
  expect(room.opensAt(1_000)).toBe(at)
  expect(countAt(room, at)).toBe(1)
  expect(countAt(room, at + 2_000)).toBe(1)
})

test('beside a full line a service with any limit refuses once in five minutes, and is used up', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 40 }), (limit) => {
      const room = createRoom(-WINDOW_MS)
      const instants: number[] = []
      let refusals = 0
      for (let now = 0; now < 20 * 60_000; now += 500) {
        while (room.opensAt(now) <= now && refusals < 1_000) {
          const sent = room.send(now)
          const blocking = instants.at(-limit)
          if (blocking === undefined || blocking + 60_000 <= now) instants.push(now)
          else {
            refusals++
            room.refuse(sent, now, blocking + 60_000 - now)
          }
        }
      }

      // The first, and one for each try.
      expect(refusals).toBeLessThanOrEqual(5)
      expect(instants.length).toBeGreaterThanOrEqual(limit * 19)
    }),
    { numRuns: 20 },
  )
})

/** A room that has learnt its limit from a burst. */
function learn(limit: number): Room {
  const room = createRoom(0)
  const burst = Array.from({ length: limit + 5 }, () => room.send(KNOWN_AT))
  for (const sent of burst.slice(limit)) room.refuse(sent, KNOWN_AT, 60_000)
  return room
}

/** Sends as many as it lets through at one instant. */
function countAt(room: Room, at: number): number {
  let count = 0
  for (; room.opensAt(at) <= at && count < 100; count++) room.send(at)
  return count
}
