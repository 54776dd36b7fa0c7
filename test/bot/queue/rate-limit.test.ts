import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  createRateLimit,
  type Room,
  TRY_AFTER_MS,
  UNKNOWN_RATE_LIMIT,
  WINDOW_MS,
} from '../../../src/bot/queue/rate-limit.ts'

/** Late enough for the room to know a whole minute. */
const KNOWN_AT = 100_000

test('a service that never refuses has no limit', () => {
  const room = openRoom(0)

  for (let count = 0; count < 500; count++) send(room, 0)

  expect(room.nextSlotAt(0)).toBe(0)
})

test('a refusal closes the room for as long as it asks, and a second', () => {
  const room = openRoom(0)
  send(room, KNOWN_AT)
  const sent = send(room, KNOWN_AT)

  room.refuse(sent, KNOWN_AT, 20_000)

  expect(room.nextSlotAt(KNOWN_AT)).toBe(KNOWN_AT + WINDOW_MS)
  const other = openRoom(0)
  other.refuse(send(other, KNOWN_AT), KNOWN_AT, 20_000)
  expect(other.nextSlotAt(KNOWN_AT)).toBe(KNOWN_AT + 21_000)
})

test.each([
  [undefined, 11_000],
  [0, 2_000],
  [3600_000, 301_000],
])('a refusal that asks for %j closes it for %i ms', (retryAfterMs, closedMs) => {
  const room = openRoom(0)

  room.refuse(send(room, KNOWN_AT), KNOWN_AT, retryAfterMs)

  expect(room.nextSlotAt(KNOWN_AT)).toBe(KNOWN_AT + closedMs)
})

test('the limit is what a burst got through, in any window from then on', () => {
  const room = learn(10)

  const at = KNOWN_AT + WINDOW_MS
  expect(countAt(room, at)).toBe(10)
  expect(room.nextSlotAt(at)).toBe(at + WINDOW_MS)
  expect(room.slotFor(1, at)).toBe(at + WINDOW_MS)
  expect(room.slotFor(11, at)).toBe(at + 2 * WINDOW_MS)
})

test('what never came to the limit does not count', () => {
  const room = learn(1)
  const at = KNOWN_AT + WINDOW_MS

  room.forget(send(room, at))

  expect(room.nextSlotAt(at)).toBe(at)
})

test('after five minutes without a refusal one more is tried, alone, then the next', () => {
  const room = learn(2)
  const at = KNOWN_AT + TRY_AFTER_MS

  expect(countAt(room, at)).toBe(2)
  expect(room.nextSlotAt(at)).toBe(at + 2_000)
  expect(countAt(room, at + 2_000)).toBe(1)
  expect(countAt(room, at + 4_000)).toBe(1)
})

test('an answer says sooner that a request was not refused', () => {
  const room = learn(1)
  const at = KNOWN_AT + TRY_AFTER_MS

  for (let count = 0; count < 5; count++) {
    expect(room.nextSlotAt(at)).toBe(at)
    room.accept(send(room, at))
  }
})

test('a trial that is refused brings the limit back for another five minutes', () => {
  const room = learn(2)
  const at = KNOWN_AT + TRY_AFTER_MS
  room.accept(send(room, at))
  room.accept(send(room, at))

  room.refuse(send(room, at), at, 60_000)

  expect(countAt(room, at + WINDOW_MS)).toBe(2)
  expect(countAt(room, at + WINDOW_MS)).toBe(0)
})

test('what is learnt in the first minute, beside requests of the last run, is tried at once', () => {
  const room = openRoom(0)
  room.refuse(send(room, 1_000), 1_000, 30_000)

  const at = 32_000
  expect(room.nextSlotAt(1_000)).toBe(at)
  expect(countAt(room, at)).toBe(1)
  expect(countAt(room, at + 2_000)).toBe(1)
})

test('a room that is stored and opened anew knows the same', () => {
  const room = learn(2)
  const at = KNOWN_AT + TRY_AFTER_MS
  const other = createRateLimit(room.state(), room.log(), at)

  expect(countAt(other, at)).toBe(2)
  expect(other.nextSlotAt(at)).toBe(at + 2_000)
})

test('a process that begins when a limit is known leaves it as it is', () => {
  const room = learn(2)
  room.begin(KNOWN_AT + WINDOW_MS)

  room.refuse(send(room, KNOWN_AT + WINDOW_MS), KNOWN_AT + WINDOW_MS, 1_000)

  expect(room.state().triesFrom).toBe(KNOWN_AT + WINDOW_MS + TRY_AFTER_MS)
})

test('a limit of which nothing was heard for a day is forgotten', () => {
  const room = learn(2)
  const day = 24 * 3600_000

  const before = createRateLimit(room.state(), [], KNOWN_AT + day - 1)
  const after = createRateLimit(room.state(), [], KNOWN_AT + day)

  expect(before.state().limit).toBe(2)
  expect(after.state().limit).toBe(Number.POSITIVE_INFINITY)
})

test('beside a full line a service with any limit refuses once in five minutes, and is used up', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 40 }), (limit) => {
      const room = openRoom(-WINDOW_MS)
      const instants: number[] = []
      let refusals = 0
      for (let now = 0; now < 20 * 60_000; now += 500) {
        while (room.nextSlotAt(now) <= now && refusals < 1_000) {
          const sent = send(room, now)
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
  const room = openRoom(0)
  const burst = Array.from({ length: limit + 5 }, () => send(room, KNOWN_AT))
  for (const sent of burst.slice(limit)) room.refuse(sent, KNOWN_AT, 60_000)
  return room
}

/** Sends as many as it lets through at one instant. */
function countAt(room: Room, at: number): number {
  let count = 0
  for (; room.nextSlotAt(at) <= at && count < 100; count++) send(room, at)
  return count
}

function openRoom(beganAt: number): Room {
  const room = createRateLimit(UNKNOWN_RATE_LIMIT, [], beganAt)
  room.begin(beganAt)
  return room
}

let sends = 0

/** @returns The id of the request. */
function send(room: Room, now: number): string {
  const id = String(++sends)
  room.send(id, now)
  return id
}
