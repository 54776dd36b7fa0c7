import fc from 'fast-check'
import { expect, test } from 'vitest'
import { UNKNOWN_RATE_LIMIT } from '../../../src/bot/queue/rate-limit.ts'
import {
  openSharedQueue,
  type QueueChange,
  type QueueEntry,
  type QueueState,
} from '../../../src/bot/queue/shared-queue.ts'

const WINDOW_MS = 61_000
const LIMIT = 4
/** Less than after which more than the limit is tried. */
const UNTRIED_MS = 290_000

const steps = fc.array(
  fc.record({
    afterMs: fc.integer({ min: 0, max: 8_000 }),
    joins: fc.array(fc.bigInt({ min: 1n, max: 6n }), { maxLength: 4 }),
    leaves: fc.option(fc.nat(30), { nil: undefined }),
  }),
  { maxLength: 60 },
)

/** Knows that the service takes so many, and nothing of what went out. */
function known(now: number): QueueState {
  const room = { ...UNKNOWN_RATE_LIMIT, limit: LIMIT, refusedAt: now, triesFrom: now + UNTRIED_MS }
  return { room, places: 0, entries: [] }
}

function entryOf(turn: number, userId: bigint): QueueEntry {
  const turnId = BigInt(turn)
  const id = String(turn)
  return { id, turnId, userId, instanceId: turn % 2, place: 0, sentAt: undefined, isOpen: true }
}

function isWaiting({ sentAt }: QueueEntry): boolean {
  return sentAt === undefined
}

/** What the next process finds: everything but what is older than the window. */
function stored({ entries, ...state }: QueueState, now: number): QueueState {
  const young = entries.filter(({ sentAt }) => sentAt === undefined || sentAt > now - WINDOW_MS)
  return { ...state, entries: young }
}

test('whoever takes the steps: the limit is kept, users take turns, and nobody is lost', () => {
  fc.assert(
    fc.property(steps, (all) => {
      let state = known(0)
      let now = 0
      let turns = 0
      const sentAt = new Map<string, number>()
      const order: QueueEntry[] = []
      const left = new Set<string>()
      for (const { afterMs, joins, leaves } of all) {
        now = Math.min(now + afterMs, UNTRIED_MS - 1)
        const line = openSharedQueue(stored(state, now), now)
        for (const userId of joins) line.change({ type: 'join', entry: entryOf(++turns, userId) })
        const waiting = line.state().entries.filter(isWaiting)
        const leaving = leaves === undefined ? undefined : waiting[leaves % waiting.length]
        if (leaving !== undefined) {
          line.change({ type: 'remove', id: leaving.id })
          left.add(leaving.id)
        }

        line.advance()

        state = line.state()
        for (const entry of state.entries) {
          if (entry.sentAt === undefined || sentAt.has(entry.id)) continue
          sentAt.set(entry.id, entry.sentAt)
          order.push(entry)
        }
        // Room that is there is used.
        if (line.size() > 0) expect(line.nextSlotAt()).toBeGreaterThan(now)
      }

      const instants = [...sentAt.values()]
      for (const at of instants) {
        const within = instants.filter((one) => one >= at && one < at + WINDOW_MS)
        expect(within.length).toBeLessThanOrEqual(LIMIT)
      }
      const waits = state.entries.filter(isWaiting).length
      expect(sentAt.size + left.size + waits).toBe(turns)
      for (const userId of new Set(order.map((one) => one.userId))) {
        const own = order.filter((one) => one.userId === userId).map(({ turnId }) => turnId)
        expect(own).toEqual([...own].sort((one, other) => Number(one - other)))
      }
    }),
  )
})

test('a step that is taken twice changes nothing the second time', () => {
  const entry = entryOf(1, 1n)
  const all: QueueChange[][] = [
    [{ type: 'join', entry }],
    [{ type: 'send', entry }],
    [{ type: 'refuse', entry, retryAfterMs: 1_000, isWanted: true }],
    [{ type: 'remove', id: entry.id }],
  ]
  for (const changes of all) {
    const once = openSharedQueue(known(0), 0)
    const twice = openSharedQueue(known(0), 0)

    for (const change of changes) once.change(change)
    for (const change of [...changes, ...changes]) twice.change(change)

    expect(twice.state()).toEqual(once.state())
  }
})

test('what went out before there was a line stands before what came later, by turn', () => {
  const line = openSharedQueue({ ...known(0), room: UNKNOWN_RATE_LIMIT }, 0)
  const sent = [1, 2, 3].map((turn) => entryOf(turn, BigInt(turn)))
  for (const entry of sent) line.change({ type: 'send', entry })
  line.change({ type: 'join', entry: entryOf(4, 4n) })

  for (const entry of sent.toReversed()) {
    line.change({ type: 'refuse', entry, retryAfterMs: 60_000, isWanted: true })
  }

  expect([1, 2, 3, 4].map((turn) => line.standing(String(turn), 0)?.place)).toEqual([1, 2, 3, 4])
})
