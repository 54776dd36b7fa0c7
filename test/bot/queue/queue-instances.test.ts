import { setImmediate as nextTick } from 'node:timers/promises'
import { pino } from 'pino'
import { expect, onTestFinished, test } from 'vitest'
import {
  createServiceQueue,
  LeftQueueError,
  type QueueTicket,
} from '../../../src/bot/queue/service-queue.ts'
import { createStoredQueue, type StoredQueue } from '../../../src/bot/queue/stored-queue.ts'
import { registerInstance } from '../../../src/platform/database/instance/instance.ts'
import { createNotifications } from '../../../src/platform/database/instance/notifications.ts'
import { openTestDatabase } from '../../platform/database/open-test-database.ts'
import { createTestClock } from '../../platform/database/test-clock.ts'
import { createTestDatabase } from '../../platform/database/test-database.ts'
import { createManualClock } from '../../platform/time/manual-clock.ts'

const MINUTE_MS = 60_000
const QUIET_PULSES = 2
/** A notification sent after all those between the processes, and heard after them. */
const PULSE_CHANNEL = 'pulse'

/** A request that the service took. */
interface Taken {
  at: number
  userId: bigint
  by: string
}

/** A process that only has a queue. */
interface QueueProcess {
  ask(userId: bigint): QueueTicket
  size(): number
  kill(): Promise<void>
  stop(): Promise<void>
}

const PER_MINUTE = 30
const AWAY_PER_MINUTE = 3
/** The minute of the queue, a second longer than that of the service. */
const WINDOW_MS = 61_000
const USERS = [1n, 2n, 3n, 4n, 5n, 6n]
const ANNA = 101n
const BORIS = 102n

test('two processes send exactly what the service takes, and meet no refusal', async () => {
  const { one, two, pass, taken, refusedAt } = await startTwo()
  askAll(100n, 110, one, two)

  await pass(3 * WINDOW_MS)

  expect(taken).toHaveLength(110)
  expect(refusedAt).toEqual([])
  expect(mostWithin(taken, MINUTE_MS)).toBe(PER_MINUTE)
  expect(new Set(taken.map(({ by }) => by))).toEqual(new Set(['one', 'two']))
})

test('what waits in a process that is killed is passed over, and the other goes on', async () => {
  const { one, two, pass, settle, taken, refusedAt } = await startTwo()
  askAll(100n, PER_MINUTE, one)
  await settle()
  askAll(500n, 60, one)
  await settle()
  const mine = two.ask(BORIS)
  await settle()
  expect(mine.position()?.position).toBe(61)

  await one.kill()
  two.ask(ANNA)
  await settle()
  expect(mine.position()?.position).toBe(1)
  await pass(WINDOW_MS)

  expect(taken.slice(PER_MINUTE).map(({ userId }) => userId)).toEqual([BORIS, ANNA])
  expect(two.size()).toBe(0)
  expect(refusedAt).toEqual([])
})

test.each(['kill', 'stop'] as const)(
  'a process that begins after the last one ended (%s) knows what went out',
  async (how) => {
    const { one, two, start, pass, settle, taken, refusedAt } = await startTwo()
    askAll(100n, 40, one, two)
    await settle()
    await Promise.all([one[how](), two[how]()])

    const next = await start('next')
    askAll(600n, 40, next)
    await pass(2 * WINDOW_MS)

    expect(taken.filter(({ by }) => by === 'next')).toHaveLength(40)
    expect(refusedAt).toEqual([])
    expect(mostWithin(taken, MINUTE_MS)).toBe(PER_MINUTE)
  },
)

test('a service that takes less than was configured answers all in the end', async () => {
  const { start, pass, taken, refusedAt } = await createQueueSetup({ perMinute: 5, limit: 8 })
  const one = await start('one')
  askAll(100n, 12, one)

  await pass(4 * WINDOW_MS)

  expect(taken).toHaveLength(12)
  expect(new Set(taken.map(({ userId }) => userId)).size).toBe(12)
  expect(refusedAt.length).toBeLessThanOrEqual(3 * 3)
})

test('a service that is away for ten minutes is tried every 20 s, then less often, one request at a time by all processes; then all go', async () => {
  const setup = await createQueueSetup({ perMinute: AWAY_PER_MINUTE })
  const { service, taken, triedInVain, pass } = setup
  const [one, two] = [await setup.start('one'), await setup.start('two')]
  service.isAwayFor = () => true
  const tickets = USERS.map((userId, index) => (index % 2 === 0 ? one : two).ask(userId))

  await pass(10 * MINUTE_MS)

  const instants = triedInVain.map(({ at }) => at)
  // Those that were let through at the same time, before the service was known to be away, come first.
  const gaps = instants.slice(AWAY_PER_MINUTE).map((at, index) => at - (instants[index + 2] ?? 0))
  expect(mostWithin(triedInVain, MINUTE_MS)).toBe(AWAY_PER_MINUTE)
  expect(Math.min(...gaps)).toBeGreaterThanOrEqual(20_000)
  expect(Math.max(...gaps.slice(0, 2))).toBeLessThan(MINUTE_MS + 2_000)
  expect(Math.min(...gaps.slice(-5))).toBeGreaterThanOrEqual(MINUTE_MS)
  expect(triedInVain.length).toBeLessThanOrEqual(16)
  expect(new Set(triedInVain.map(({ userId }) => userId))).toEqual(new Set(USERS))
  expect(new Set(triedInVain.map(({ by }) => by))).toEqual(new Set(['one', 'two']))
  expect(tickets.map((ticket) => ticket.position()?.isAway)).toEqual(USERS.map(() => true))

  service.isAwayFor = () => false
  await pass(4 * MINUTE_MS)

  expect(taken.map(({ userId }) => userId).toSorted()).toEqual(USERS)
  expect(mostWithin([...triedInVain, ...taken], MINUTE_MS)).toBe(AWAY_PER_MINUTE)
})

test('a request for which alone the service is away shuts out neither its user’s others nor those of others', async () => {
  const { service, taken, triedInVain, start, pass } = await createQueueSetup({
    perMinute: AWAY_PER_MINUTE,
  })
  const one = await start('one')
  service.isAwayFor = (id) => id === 1n
  for (const userId of [ANNA, ANNA, ANNA, BORIS, BORIS]) one.ask(userId)

  await pass(4 * MINUTE_MS)

  expect(taken.map(({ userId }) => userId).toSorted()).toEqual([ANNA, ANNA, BORIS, BORIS])
  expect(triedInVain.length).toBeGreaterThan(1)
  expect(mostWithin([...triedInVain, ...taken], MINUTE_MS)).toBeLessThanOrEqual(AWAY_PER_MINUTE)
})

/**
 * Processes on one database, and a service that takes so many requests in any minute. Time
 * is stopped for all of them until `pass()`.
 *
 * @param limit The rate limit that the processes know; that of the service where it is missing.
 */
async function createQueueSetup({
  perMinute,
  limit = perMinute,
}: {
  perMinute: number
  limit?: number
}) {
  const url = await createTestDatabase()
  const databaseClock = await createTestClock(url)
  await databaseClock.stopAt(new Date(0))
  const database = openTestDatabase({ url, connectionsMax: 1 })
  onTestFinished(database.close)
  const clock = createManualClock()
  const taken: Taken[] = []
  const triedInVain: Taken[] = []
  const service = { isAwayFor: (_id: bigint): boolean => false }
  const refusedAt: number[] = []
  const heard = new Map<string, number>()
  let pulses = 0
  let atWork = 0
  let lastId = 0n
  return { taken, triedInVain, service, refusedAt, start, settle, pass }

  async function start(name: string): Promise<QueueProcess> {
    const { pool, prisma, close } = openTestDatabase({
      url,
      connectionsMax: 3,
      onIdleError: () => {},
    })
    const instance = await registerInstance({ url, onError: () => {} })
    const notifications = createNotifications(instance.session)
    const ending = new AbortController()
    let isKilled = false
    const own = { kind: 'chat', limit, instanceId: instance.id } as const
    const stored = createStoredQueue({ ...own, prisma, pool })
    const queue = createServiceQueue({
      ...own,
      stored: watch(stored),
      notifications,
      clock,
      log: pino({ level: 'silent' }),
      signal: ending.signal,
    })
    notifications.listen(PULSE_CHANNEL, {
      onNotification: (pulse) => hear(Number(pulse)),
      onGap: () => hear(pulses),
    })
    onTestFinished(end)
    await until(() => heard.has(name))
    return { ask, size: queue.size, kill, stop }

    function hear(pulse: number): void {
      if (!isKilled) heard.set(name, pulse)
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
          if (error instanceof LeftQueueError || ending.signal.aborted) return
          throw error
        }
        if (isKilled) return
        const at = clock.now()
        if (service.isAwayFor(id)) {
          triedInVain.push({ at, by: name, userId })
          ticket.away({ retryAfterMs: undefined, isCounted: true })
          continue
        }
        const blocking = taken.at(-perMinute)
        const waitMs = blocking === undefined ? 0 : blocking.at + MINUTE_MS - at
        if (waitMs <= 0) {
          taken.push({ at, by: name, userId })
          ticket.accepted()
          return
        }
        refusedAt.push(at)
        ticket.refused(waitMs)
      }
    }

    /** Lets no answer of the database reach a process that is gone. */
    function watch({ takeSlots, change, release, ...rest }: StoredQueue): StoredQueue {
      const answered = <A extends unknown[], T>(ask: (...args: A) => Promise<T>) => {
        return async (...args: A): Promise<T> => {
          if (isKilled) return new Promise(() => {})
          atWork++
          const result = await ask(...args).finally(() => atWork--)
          return isKilled ? new Promise(() => {}) : result
        }
      }
      return {
        ...rest,
        takeSlots: answered(takeSlots),
        change: answered(change),
        release: answered(release),
      }
    }

    async function kill(): Promise<void> {
      isKilled = true
      await end()
    }

    async function stop(): Promise<void> {
      ending.abort(new Error('stopping'))
      await settle()
      await end()
    }

    async function end(): Promise<void> {
      isKilled = true
      heard.delete(name)
      ending.abort(new Error('ended'))
      await instance.release()
      if (!pool.ended) await close()
    }
  }

  /** Resolves when no process waits for the database, and all have heard each other's notifications. */
  async function settle(): Promise<void> {
    for (let quiet = 0; quiet < QUIET_PULSES; quiet++) {
      const pulse = ++pulses
      await database.pool.query('SELECT pg_notify($1, $2)', [PULSE_CHANNEL, String(pulse)])
      await until(() => [...heard.values()].every((last) => last >= pulse))
      if (atWork > 0) quiet = 0
    }
  }

  async function until(isSo: () => boolean): Promise<void> {
    while (!isSo()) await nextTick()
  }

  async function pass(ms: number): Promise<void> {
    await settle()
    for (let leftMs = ms; leftMs > 0; ) {
      const leapMs = Math.min(leftMs, Math.max(1, clock.nextInMs()))
      await databaseClock.advance(leapMs)
      clock.advance(leapMs)
      leftMs -= leapMs
      await settle()
    }
  }
}

/** The most that went out in any such time. */
function mostWithin(taken: readonly Taken[], windowMs: number): number {
  return Math.max(
    ...taken.map(({ at }) => taken.filter((one) => one.at >= at && one.at < at + windowMs).length),
  )
}

async function startTwo() {
  const setup = await createQueueSetup({ perMinute: PER_MINUTE })
  return { ...setup, one: await setup.start('one'), two: await setup.start('two') }
}

function askAll(from: bigint, count: number, ...processes: QueueProcess[]): void {
  for (let index = 0; index < count; index++) {
    processes[index % processes.length]?.ask(from + BigInt(index))
  }
}
