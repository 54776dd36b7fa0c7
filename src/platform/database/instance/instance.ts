import { type Clock, systemClock } from '../../time/clock.ts'
import { settleWithin } from '../../time/graceful-stop.ts'
import type { PrimaryWatch } from '../primary-watch.ts'
import {
  addInstanceRow,
  beat,
  type InstanceRow,
  removeInstanceRow,
  removeSilent,
  type Work,
} from './instance-row.ts'
import { createSilenceWatch, LEASE_MS } from './instance-silence.ts'
import { openSession, type Session } from './session.ts'

const BEAT_MS = 1_000
/** A database that answers has renewed the row within this time. */
const IN_TOUCH_MS = 2_500
/** A connection that is cut off says nothing: it is given up after so long without an answer. */
const BEAT_TIMEOUT_MS = 3_000
/** How long before others may take over a process stops acting: what it began then gets through. */
const MARGIN_MS = 1_000

/** The process has lost a lease, or all of them: the work is, or will be, another's and must not be touched again. */
export class LeaseLostError extends Error {
  override readonly name = 'LeaseLostError'
  readonly code = 'lease_lost'

  constructor(id: number) {
    super(`Cannot go on as instance ${id}: a lease was lost`)
  }
}

/** The right to act, which a process has as long as it surely lives in the eyes of the others. */
export interface InstanceLease {
  /** Aborted with a `LeaseLostError` when others have taken over, or may have: the process stops and replaces itself. */
  lost: AbortSignal
  /**
   * Resolves while the lease surely holds, at once or when the database is back. Wait for it right
   * before anything that goes out: a message, a request, a callback.
   *
   * @throws {LeaseLostError} If the lease was lost.
   */
  leased(): Promise<void>
}

/**
 * A running process, as the database sees it: a row that it renews (instance-row.ts).
 *
 * Rows that a process works on carry its id: open holds, leased updates, turns, tasks and orders.
 */
export interface Instance extends InstanceLease {
  /** Never given again. */
  id: number
  session: Session
  isInTouch(): boolean
  /** How many living processes do that work, this one included, as of the last second. At least 1. */
  count(work: Work): number
  /** Ends the lease and closes the session: from here on any process may take over what carries the id. */
  release(): Promise<void>
}

export interface InstanceDeps {
  /** Must not lead through a transaction pooler. */
  url: string
  onError: (error: Error) => void
  onSilence?: () => void
  onAnswer?: () => void
  works?: Iterable<Work>
  /** No other living process may have it; an earlier one of the same name has ended. */
  name?: string | undefined
  primary?: PrimaryWatch
  clock?: Clock
}

/** Registers this process, and renews its lease every second from here on. */
export async function registerInstance({
  url,
  onError,
  onSilence = () => {},
  onAnswer = () => {},
  works = [],
  name,
  primary,
  clock = systemClock,
}: InstanceDeps): Promise<Instance> {
  const session = await openSession({ url, onError, primary })
  const begunAt = readTime(clock)
  const id = await addRow(session, { name, works: [...works] })
  const closing = new AbortController()
  const losing = new AbortController()
  const silence = createSilenceWatch()
  let isHeld = holdFrom(begunAt)
  let answeredMs = clock.now()
  let living: InstanceRow[] = []
  let beaten = Promise.withResolvers<void>()
  const beating = keepBeating()
  return { id, session, lost: losing.signal, leased, isInTouch, count, release }

  async function leased(): Promise<void> {
    while (!isHeld(readTime(clock))) {
      losing.signal.throwIfAborted()
      await beaten.promise
    }
    losing.signal.throwIfAborted()
  }

  async function release(): Promise<void> {
    closing.abort()
    await beating
    const connection = session.connection()
    // Where the database is away, the lease ends by time.
    if (connection !== undefined) {
      const removed = removeInstanceRow(connection, id).catch(onError)
      await settleWithin([removed], BEAT_TIMEOUT_MS)
    }
    lose()
    await session.close()
  }

  async function keepBeating(): Promise<void> {
    while (!closing.signal.aborted && !losing.signal.aborted) {
      await beatOnce()
      // Being released is what the wait is aborted for.
      await clock.sleep(BEAT_MS, closing.signal).catch(() => {})
    }
  }

  async function beatOnce(): Promise<void> {
    const connection = session.connection()
    // The session reports a connection that is being replaced.
    if (connection === undefined) return
    const giveUp = setTimeout(() => {
      connection.lose(new Error('Connection terminated: no answer'))
      onSilence()
    }, BEAT_TIMEOUT_MS)
    const begunAt = readTime(clock)
    try {
      living = await beat(connection, id)
      answeredMs = clock.now()
      onAnswer()
      if (!living.some((row) => row.id === id)) return lose()
      isHeld = holdFrom(begunAt)
      beaten.resolve()
      beaten = Promise.withResolvers()
      const silent = silence.observe(living, clock.now())
      for (const row of silent) await removeSilent(connection, row)
    } catch (error) {
      connection.lose(error)
    } finally {
      clearTimeout(giveUp)
    }
  }

  function isInTouch(): boolean {
    return session.connection() !== undefined && clock.now() - answeredMs < IN_TOUCH_MS
  }

  function count(work: Work): number {
    return Math.max(1, living.filter(({ works }) => works.includes(work)).length)
  }

  function lose(): void {
    losing.abort(new LeaseLostError(id))
    beaten.resolve()
  }
}

async function addRow(
  session: Session,
  what: Parameters<typeof addInstanceRow>[1],
): Promise<number> {
  try {
    const connection = session.connection()
    if (connection === undefined) throw new Error('Cannot register instance: the session broke')
    return await addInstanceRow(connection, what)
  } catch (error) {
    await session.close()
    throw error
  }
}

/** Both clocks of the machine: one stops while a virtual machine does, the other can be set. */
interface Time {
  monotonicMs: number
  dateMs: number
}

function readTime(clock: Pick<Clock, 'now' | 'date'>): Time {
  return { monotonicMs: clock.now(), dateMs: clock.date().getTime() }
}

function holdFrom(renewed: Time): (at: Time) => boolean {
  return (at) =>
    Math.max(at.monotonicMs - renewed.monotonicMs, at.dateMs - renewed.dateMs) <
    LEASE_MS - MARGIN_MS
}
