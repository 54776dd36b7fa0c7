import { setImmediate as nextTick } from 'node:timers/promises'
import { pino } from 'pino'
import { onTestFinished } from 'vitest'
import {
  createServiceQueue,
  LeftQueueError,
  type Ticket,
} from '../../../src/bot/queue/service-queue.ts'
import { createStoredQueue } from '../../../src/bot/queue/stored-queue.ts'
import { registerInstance } from '../../../src/database/instance.ts'
import { createNotifications } from '../../../src/database/notifications.ts'
import { openTestDatabase } from '../../database/open-test-database.ts'
import { createTestDatabase } from '../../database/test-database.ts'
import { createManualClock } from '../../manual-clock.ts'

const MINUTE_MS = 60_000
const STEP_MS = 250
const QUIET_TICKS = 5

/** A request that the service took. */
export interface Taken {
  at: number
  userId: bigint
  turnId: bigint
  by: string
}

/** A process that only has a line. */
export interface StartedLine {
  /** Has a turn ask the service until it is taken. */
  ask(userId: bigint): Ticket
  size(): number
  /** Ends everything it could still do, as `kill -9` does. */
  kill(): Promise<void>
  stop(): Promise<void>
}

/**
 * Processes on one database, and a service that takes so many requests in any minute, on a clock that
 * moves when nobody is at work.
 */
export async function createQueueSetup({ perMinute }: { perMinute: number }) {
  const url = await createTestDatabase()
  const clock = createManualClock()
  const taken: Taken[] = []
  const refusedAt: number[] = []
  let atWork = 0
  let turns = 0n
  return { clock, taken, refusedAt, start, settle, pass, url }

  async function start(name: string): Promise<StartedLine> {
    const { pool, close } = openTestDatabase({ url, connectionsMax: 3, onIdleError: () => {} })
    const instance = await registerInstance(url, () => {})
    const notifications = createNotifications(instance.session)
    const ending = new AbortController()
    const watched = { query: watch(pool.query.bind(pool)) as typeof pool.query }
    let isKilled = false
    const stored = createStoredQueue({
      pool: watched,
      instanceId: instance.id,
      sharedNow: () => new Date(clock.now()),
    })
    const { version } = await stored.read()
    const line = createServiceQueue({
      stored,
      notifications,
      instanceId: instance.id,
      clock,
      log: pino({ level: 'silent' }),
      signal: ending.signal,
    })
    onTestFinished(end)
    // It tells that it began as soon as it hears notifications.
    while ((await stored.read()).version === version) await nextTick()
    return { ask, size: line.size, kill, stop }

    function ask(userId: bigint): Ticket {
      const turnId = ++turns
      const ticket = line.join({ id: turnId, userId }, () => {})
      void carry(ticket, { userId, turnId })
      return ticket
    }

    async function carry(ticket: Ticket, turn: Pick<Taken, 'userId' | 'turnId'>): Promise<void> {
      for (;;) {
        try {
          await ticket.letThrough()
        } catch (error) {
          if (error instanceof LeftQueueError || ending.signal.aborted) return
          throw error
        }
        if (isKilled) return
        const now = clock.now()
        const blocking = taken.at(-perMinute)
        const waitMs = blocking === undefined ? 0 : blocking.at + MINUTE_MS - now
        if (waitMs <= 0) {
          taken.push({ at: now, by: name, ...turn })
          ticket.accepted()
          return
        }
        refusedAt.push(now)
        ticket.refused(waitMs)
      }
    }

    /** What a process that is gone asked of the database never comes back. */
    function watch(query: (...values: unknown[]) => unknown) {
      return async (...values: unknown[]) => {
        if (isKilled) return new Promise(() => {})
        atWork++
        try {
          const result = await query(...values)
          return isKilled ? new Promise(() => {}) : result
        } finally {
          atWork--
        }
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
      ending.abort(new Error('ended'))
      await instance.release()
      if (!pool.ended) await close()
    }
  }

  /** Resolves when nobody waits for the database. */
  async function settle(): Promise<void> {
    for (let quiet = 0; quiet < QUIET_TICKS; quiet++) {
      await nextTick()
      if (atWork > 0) quiet = 0
    }
  }

  async function pass(ms: number): Promise<void> {
    await settle()
    for (const end = clock.now() + ms; clock.now() < end; ) {
      clock.advance(STEP_MS)
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
