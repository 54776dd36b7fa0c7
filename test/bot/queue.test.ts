import { setImmediate as nextTick } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { LeftQueueError, type QueueTicket, ServiceQueue } from '../../src/bot/queue.ts'
import { createManualClock } from '../platform/time/manual-clock.ts'

const MINUTE_MS = 60_000
const PER_MINUTE = 30
const AWAY_PER_MINUTE = 3
/** The minute of the queue, a second longer than that of the service. */
const WINDOW_MS = 61_000
const USERS = [1n, 2n, 3n, 4n, 5n, 6n]
const ANNA = 101n
const BORIS = 102n

/** A request that went out. */
interface Sent {
  at: number
  userId: bigint
}

test('exactly what the service takes is sent, and nothing is refused', async () => {
  const { askAll, pass, taken, refusedAt } = openQueue({ perMinute: PER_MINUTE })
  askAll(100n, 110)

  await pass(3 * WINDOW_MS)

  expect(taken).toHaveLength(110)
  expect(refusedAt).toEqual([])
  expect(mostWithin(taken, MINUTE_MS)).toBe(PER_MINUTE)
})

test('what leaves the queue is not asked, and those behind it move up', async () => {
  const { ask, askAll, pass, taken } = openQueue({ perMinute: PER_MINUTE })
  askAll(100n, PER_MINUTE)
  const waiting = [500n, 501n, 502n].map(ask)
  const mine = ask(BORIS)
  await pass(1)
  expect(mine.position()?.position).toBe(4)

  for (const ticket of waiting) ticket.leave()
  ask(ANNA)
  await pass(1)
  expect(mine.position()?.position).toBe(1)
  await pass(WINDOW_MS)

  expect(taken.slice(PER_MINUTE).map(({ userId }) => userId)).toEqual([BORIS, ANNA])
})

test('requests that went before this process was the active one count', async () => {
  const { queue, askAll, pass, taken } = openQueue({ perMinute: PER_MINUTE })
  for (let sent = 0; sent < PER_MINUTE; sent += 1) queue.count(10_000)
  askAll(100n, 1)

  await pass(WINDOW_MS - 11_000)
  expect(taken).toEqual([])
  await pass(1_000)
  expect(taken).toHaveLength(1)
})

test('a service that takes less than was configured answers all in the end', async () => {
  const { askAll, pass, taken, refusedAt } = openQueue({ perMinute: 5, limit: 8 })
  askAll(100n, 12)

  await pass(4 * WINDOW_MS)

  expect(taken).toHaveLength(12)
  expect(new Set(taken.map(({ userId }) => userId)).size).toBe(12)
  expect(refusedAt.length).toBeLessThanOrEqual(3 * 3)
})

test('a service that is away for ten minutes is tried every 20 s, one request at a time; then all go', async () => {
  const setup = openQueue({ perMinute: AWAY_PER_MINUTE })
  const { service, taken, triedInVain, pass, ask } = setup
  service.isAwayFor = () => true
  const tickets = USERS.map(ask)

  await pass(10 * MINUTE_MS)

  const instants = triedInVain.map(({ at }) => at)
  // Those that were let through at the same time, before the service was known to be away, come first.
  const gaps = instants.slice(AWAY_PER_MINUTE).map((at, index) => at - (instants[index + 2] ?? 0))
  expect(mostWithin(triedInVain, MINUTE_MS)).toBe(AWAY_PER_MINUTE)
  expect(Math.min(...gaps)).toBeGreaterThanOrEqual(20_000)
  expect(triedInVain.length).toBeLessThanOrEqual(AWAY_PER_MINUTE + 30)
  expect(new Set(triedInVain.map(({ userId }) => userId))).toEqual(new Set(USERS))
  expect(tickets.map((ticket) => ticket.position()?.isAway)).toEqual(USERS.map(() => true))

  service.isAwayFor = () => false
  await pass(4 * MINUTE_MS)

  expect(taken.map(({ userId }) => userId).toSorted()).toEqual(USERS)
  expect(mostWithin([...triedInVain, ...taken], MINUTE_MS)).toBe(AWAY_PER_MINUTE)
})

test('a request for which alone the service is away shuts out neither its user’s others nor those of others', async () => {
  const { service, taken, triedInVain, ask, pass } = openQueue({ perMinute: AWAY_PER_MINUTE })
  service.isAwayFor = (id) => id === 1n
  for (const userId of [ANNA, ANNA, ANNA, BORIS, BORIS]) ask(userId)

  await pass(4 * MINUTE_MS)

  expect(taken.map(({ userId }) => userId).toSorted()).toEqual([ANNA, ANNA, BORIS, BORIS])
  expect(triedInVain.length).toBeGreaterThan(1)
  expect(mostWithin([...triedInVain, ...taken], MINUTE_MS)).toBeLessThanOrEqual(AWAY_PER_MINUTE)
})

/**
 * A queue, and a service that takes so many requests in any minute. Time is stopped until `pass()`.
 *
 * @param limit The rate limit that the queue knows; that of the service where it is missing.
 */
function openQueue({ perMinute, limit = perMinute }: { perMinute: number; limit?: number }) {
  const clock = createManualClock()
  const queue = new ServiceQueue({ limit, clock, signal: new AbortController().signal })
  const taken: Sent[] = []
  const triedInVain: Sent[] = []
  const refusedAt: number[] = []
  const service = { isAwayFor: (_id: bigint): boolean => false }
  let lastId = 0n
  return { queue, taken, triedInVain, service, refusedAt, ask, askAll, pass }

  function askAll(from: bigint, count: number): void {
    for (let index = 0; index < count; index++) ask(from + BigInt(index))
  }

  function ask(userId: bigint): QueueTicket {
    const id = ++lastId
    const ticket = queue.join({ id, userId }, { onPosition: () => {} })
    void carry(ticket, { id, userId })
    return ticket
  }

  async function carry(ticket: QueueTicket, { id, userId }: { id: bigint; userId: bigint }) {
    for (;;) {
      try {
        await ticket.letThrough()
      } catch (error) {
        if (error instanceof LeftQueueError) return
        throw error
      }
      const at = clock.now()
      if (service.isAwayFor(id)) {
        triedInVain.push({ at, userId })
        ticket.away({ retryAfterMs: undefined, isCounted: true })
        continue
      }
      const blocking = taken.at(-perMinute)
      const waitMs = blocking === undefined ? 0 : blocking.at + MINUTE_MS - at
      if (waitMs <= 0) {
        taken.push({ at, userId })
        ticket.accepted()
        return
      }
      refusedAt.push(at)
      ticket.refused(waitMs)
    }
  }

  async function pass(ms: number): Promise<void> {
    await nextTick()
    for (let leftMs = ms; leftMs > 0; ) {
      const leapMs = Math.min(leftMs, Math.max(1, clock.nextInMs()))
      clock.advance(leapMs)
      leftMs -= leapMs
      await nextTick()
    }
  }
}

/** The most that went out in any such time. */
function mostWithin(taken: readonly Sent[], windowMs: number): number {
  return Math.max(
    ...taken.map(({ at }) => taken.filter((one) => one.at >= at && one.at < at + windowMs).length),
  )
}
