import type { Logger } from 'pino'
import type { Notifications } from '../../database/notifications.ts'
import type { Clock } from '../../time/clock.ts'
import { errorFacts } from '../error-facts.ts'
import type { Turn } from '../turns/turns.ts'
import {
  openSharedQueue,
  type QueueChange,
  type QueueEntry,
  type QueuePosition,
  type QueueState,
  type SharedQueue,
} from './shared-queue.ts'
import { QUEUE_CHANNEL, type QueueSnapshot, type StoredQueue } from './stored-queue.ts'

/** While turns wait, finds what no notification told: what processes that died had let wait. */
const LOOK_EVERY_MS = 1_000
const RETRY_MS = 1_000
/** What went out before there was a line stood before all that waits. */
const FIRST_PLACE = 0

/** Thrown to who waits for a turn that was taken out of the line: the service was not asked. */
export class LeftQueueError extends Error {
  override readonly name = 'LeftQueueError'
  readonly code = 'left_queue'

  constructor() {
    super('Cannot ask the service: the turn left the line')
  }
}

/** One turn and the request that it has to make. */
export interface Ticket {
  /**
   * Resolves when the request may go; after a refusal, when it may go again.
   *
   * @throws {LeftQueueError} If the turn left.
   * @throws The signal's reason if it aborted.
   */
  letThrough(): Promise<void>
  /** The request was not refused. */
  accepted(): void
  /** The service had no room for it: the turn goes back to where it stood. */
  refused(retryAfterMs: number | undefined): void
  /** The request failed before it came to the service's limit. */
  uncounted(): void
  /**
   * Takes the turn out: its request is not made, or not made again.
   *
   * @returns Whether it waited. One that did not may have been asked.
   */
  leave(): boolean
  isWaiting(): boolean
  /** As far as is known; undefined while it does not wait. */
  standing(): QueuePosition | undefined
}

/** What the line tells a ticket. */
interface Waiter {
  entry: QueueEntry
  go(): void
  fail(reason: unknown): void
  /** It has to wait still. */
  wait(): void
}

export interface ServiceQueueDeps {
  stored: StoredQueue
  notifications: Pick<Notifications, 'listen'>
  instanceId: number
  clock: Clock
  log: Logger
  /** Ends every wait. */
  signal: AbortSignal
}

export interface ServiceQueue {
  /** @param onWaiting The turn has to wait, for the first time or after a refusal. */
  join(turn: Pick<Turn, 'id' | 'userId'>, onWaiting: () => void): Ticket
  /** How many wait in all. */
  size(): number
}

/**
 * Where turns wait until the service has room for them: fair by user, one for all processes.
 *
 * As long as the service has no limit a turn goes at once, and that it went is noted beside it. From
 * the first refusal on every turn goes through the database. What happens to the turns of this process
 * is gathered while a step is under way and goes into the next one, so that a burst costs a few steps.
 */
export function createServiceQueue(deps: ServiceQueueDeps): ServiceQueue {
  const { stored, notifications, instanceId, clock, log, signal } = deps
  /** Of this process; taken out when they are let through. */
  const waiters = new Map<string, Waiter>()
  let pending: QueueChange[] = [{ type: 'begin' }]
  /** Undefined as long as nothing was read. */
  let isLimited: boolean | undefined
  let view: { line: SharedQueue; now: number; readAt: number } | undefined
  let joined = 0
  let isLookWanted = false
  let isAtWork = false
  let alarm = new AbortController()
  signal.addEventListener('abort', close, { once: true })
  notifications.listen(QUEUE_CHANNEL, {
    onNotification: (from) => {
      if (from !== String(instanceId)) look()
    },
    onGap: look,
  })
  return { join, size: () => view?.line.size() ?? 0 }

  function join(
    { id: turnId, userId }: Pick<Turn, 'id' | 'userId'>,
    onWaiting: () => void,
  ): Ticket {
    let gate = closedGate()
    let hasLeft = false
    let isTold = false
    const entry: QueueEntry = {
      id: `${instanceId}.${++joined}`,
      turnId,
      userId,
      instanceId,
      place: FIRST_PLACE,
      sentAt: undefined,
      isOpen: true,
    }
    const { id } = entry
    const waiter: Waiter = {
      entry,
      go: () => gate.resolve(),
      fail: (reason) => gate.reject(reason),
      wait: () => {
        if (!isTold) onWaiting()
        isTold = true
      },
    }
    if (signal.aborted) gate.reject(signal.reason)
    else if (isLimited === false) {
      gate.resolve()
      note({ type: 'send', entry })
    } else {
      waiters.set(id, waiter)
      note({ type: 'join', entry })
    }
    return {
      letThrough: () => gate.promise,
      accepted,
      refused,
      uncounted: () => note({ type: 'remove', id }),
      leave,
      isWaiting: () => waiters.has(id),
      standing,
    }

    function accepted(): void {
      if (isLimited) note({ type: 'accept', id })
    }

    function refused(retryAfterMs: number | undefined): void {
      gate = closedGate()
      isTold = false
      isLimited = true
      const isWanted = !hasLeft && !signal.aborted
      if (isWanted) waiters.set(id, waiter)
      else gate.reject(hasLeft ? new LeftQueueError() : signal.reason)
      note({ type: 'refuse', entry, retryAfterMs, isWanted })
    }

    function leave(): boolean {
      hasLeft = true
      if (!waiters.delete(id)) return false
      gate.reject(new LeftQueueError())
      note({ type: 'remove', id })
      return true
    }

    function standing(): QueuePosition | undefined {
      if (view === undefined || !waiters.has(id)) return undefined
      return view.line.standing(id, view.now + clock.now() - view.readAt)
    }
  }

  function note(change: QueueChange): void {
    pending.push(change)
    void work()
  }

  function look(): void {
    isLookWanted = true
    void work()
  }

  /** One step after the other, until nothing is left to be done. Never throws. */
  async function work(): Promise<void> {
    if (isAtWork) return
    isAtWork = true
    // What happens in the same moment is one step.
    await Promise.resolve()
    while (pending.length > 0 || isLookWanted) {
      const changes = pending
      pending = []
      isLookWanted = false
      try {
        await step(changes)
      } catch (error) {
        log.warn(errorFacts(error), 'line for turns not moved')
        // What a process that stops leaves is gone with it.
        if (signal.aborted) break
        pending = [...changes, ...pending]
        // Stopping is what the sleep is aborted for.
        await clock.sleep(RETRY_MS, signal).catch(() => {})
      }
    }
    isAtWork = false
  }

  async function step(changes: readonly QueueChange[]): Promise<void> {
    const sent = changes.flatMap((change) => (change.type === 'send' ? [change.entry] : []))
    if (isLimited === false && sent.length > 0 && sent.length === changes.length) {
      isLimited = await stored.noteSent(sent)
      return
    }
    const readAt = clock.now()
    const { line, now } = await settle(changes)
    isLimited = line.isLimited()
    view = { line, now, readAt }
    tellWaiters(line)
    lookAgainAt(readAt + Math.min(line.nextSlotAt() - now, LOOK_EVERY_MS))
  }

  /** Changes the line that all processes share. */
  async function settle(
    changes: readonly QueueChange[],
  ): Promise<{ line: SharedQueue; now: number }> {
    for (;;) {
      const snapshot = await stored.read()
      const line = openSharedQueue(snapshot.state, snapshot.now)
      for (const change of changes) line.change(change)
      line.advance()
      const after = line.state()
      const notifiesOthers = concernsOthers(snapshot, after)
      const isDone = !notifiesOthers && changes.length === 0 && isUnmoved(snapshot, after)
      if (isDone || (await stored.save(snapshot, { after, notifiesOthers }))) {
        return { line, now: snapshot.now }
      }
    }
  }

  /** Whether a limit came or went, or a turn of another process was let through. */
  function concernsOthers({ state: before }: QueueSnapshot, after: QueueState): boolean {
    if (Number.isFinite(before.room.limit) !== Number.isFinite(after.room.limit)) return true
    const waited = new Set(before.entries.filter(isWaiting).map(({ id }) => id))
    return after.entries.some(
      (entry) => entry.instanceId !== instanceId && waited.has(entry.id) && !isWaiting(entry),
    )
  }

  function tellWaiters(line: SharedQueue): void {
    const untold = new Set(
      pending.flatMap((change) => ('entry' in change ? [change.entry.id] : [])),
    )
    const entries = new Map(line.state().entries.map((entry) => [entry.id, entry]))
    for (const [id, { entry, go, wait }] of waiters) {
      if (untold.has(id)) continue
      const now = entries.get(id)
      if (now === undefined) {
        // Somebody took this process for dead, since its connection was gone for a moment.
        note({ type: 'join', entry })
      } else if (isWaiting(now)) wait()
      else {
        waiters.delete(id)
        go()
      }
    }
  }

  function lookAgainAt(at: number): void {
    alarm.abort()
    if (waiters.size === 0) return
    alarm = new AbortController()
    const delayMs = at - clock.now()
    if (delayMs <= 0) look()
    // Another alarm, or none, is what the sleep is aborted for.
    else clock.sleep(delayMs, alarm.signal).then(look, () => {})
  }

  function close(): void {
    alarm.abort()
    for (const [id, { fail }] of waiters) {
      fail(signal.reason)
      pending.push({ type: 'remove', id })
    }
    waiters.clear()
    void work()
  }
}

/** Whether a mere look found nothing to be done. */
function isUnmoved(
  { state: before, deadIds }: QueueSnapshot,
  { room, entries }: QueueState,
): boolean {
  return (
    deadIds.length === 0 &&
    room.trialId === before.room.trialId &&
    room.limit === before.room.limit &&
    entries.filter(isWaiting).length === before.entries.filter(isWaiting).length
  )
}

function isWaiting({ sentAt }: QueueEntry): boolean {
  return sentAt === undefined
}

function closedGate(): PromiseWithResolvers<void> {
  const gate = Promise.withResolvers<void>()
  // Who stands before it hears of it; until then it must not count as unheard.
  gate.promise.catch(() => {})
  return gate
}
