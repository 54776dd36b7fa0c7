import { setImmediate as nextTick } from 'node:timers/promises'
import { pino } from 'pino'
import { onTestFinished } from 'vitest'
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
export interface Taken {
  at: number
  userId: bigint
  by: string
}

/** A process that only has a queue. */
export interface QueueProcess {
  ask(userId: bigint): QueueTicket
  size(): number
  kill(): Promise<void>
  stop(): Promise<void>
}

/**
 * Processes on one database, and a service that takes so many requests in any minute. Time
 * is stopped for all of them until `pass()`.
 *
 * @param limit The rate limit that the processes know; that of the service where it is missing.
 */
export async function createQueueSetup({
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
  const statements = { takeSlots: 0, change: 0 }
  const heard = new Map<string, number>()
  let pulses = 0
  let atWork = 0
  let lastId = 0n
  return { taken, triedInVain, service, refusedAt, statements, start, settle, pass }

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

    /** Counts statements, and lets no answer of the database reach a process that is gone. */
    function watch({ takeSlots, change, release, ...rest }: StoredQueue): StoredQueue {
      const answered = <A extends unknown[], T>(name: string, ask: (...args: A) => Promise<T>) => {
        return async (...args: A): Promise<T> => {
          if (isKilled) return new Promise(() => {})
          if (name === 'takeSlots' || name === 'change') statements[name]++
          atWork++
          const result = await ask(...args).finally(() => atWork--)
          return isKilled ? new Promise(() => {}) : result
        }
      }
      return {
        ...rest,
        takeSlots: answered('takeSlots', takeSlots),
        change: answered('change', change),
        release: answered('release', release),
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
export function mostWithin(taken: readonly Taken[], windowMs: number): number {
  return Math.max(
    ...taken.map(({ at }) => taken.filter((one) => one.at >= at && one.at < at + windowMs).length),
  )
}
