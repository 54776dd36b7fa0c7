import type { Notifications } from '../../platform/database/instance/notifications.ts'
import type { TroubleLog } from '../../platform/fold-repeats.ts'
import type { Clock } from '../../platform/time/clock.ts'
import { errorFacts } from '../telegram/error-facts.ts'
import { type QueuePosition, reportPosition } from './queue-position.ts'
import type { RequestKind, RequestOutcome } from './rate-limit.ts'
import {
  type EntryChange,
  type QueueEntry,
  type QueueSnapshot,
  queueChannel,
  type SlotRequest,
  type StoredQueue,
} from './stored-queue.ts'

const RETRY_MS = 1_000
/** How long the service is left alone where it does not say. */
const CLOSES_MS = 10_000

/** The entry left the queue: the service was not asked. */
export class LeftQueueError extends Error {
  override readonly name = 'LeftQueueError'
  readonly code = 'left_queue'

  constructor() {
    super('Cannot ask the service: the entry left the queue')
  }
}

interface SentRequest {
  sentAt: number
  isStored: boolean
}

interface AwayAnswer {
  retryAfterMs: number | undefined
  isCounted: boolean
}

interface Waiter extends Pick<QueueEntry, 'id' | 'userId'> {
  go(sent: SentRequest): void
  fail(reason: unknown): void
  wait(): void
}

export interface ServiceQueueDeps {
  kind: RequestKind
  stored: StoredQueue
  notifications: Pick<Notifications, 'listen'>
  instanceId: number
  clock: Clock
  log: Pick<TroubleLog, 'warn'>
  signal: AbortSignal
}

/**
 * Has the requests of one kind wait until the service takes them: fair by user, one queue for all
 * processes. (This file is longer than others: a ticket and the steps of the queue work on the same few variables.)
 *
 * Where nothing waits, a request goes after one statement. What happens to the entries of this process
 * is gathered while a step is under way and goes into the next one, so that a burst costs a few steps.
 */
export function createServiceQueue(deps: ServiceQueueDeps) {
  const { kind, stored, notifications, instanceId, clock, log, signal } = deps
  const waiters = new Map<bigint, Waiter>()
  let pending: EntryChange[] = []
  let isLookWanted = false
  let isAtWork = false
  let snapshot: (QueueSnapshot & { readAt: number }) | undefined
  let alarm = new AbortController()
  signal.addEventListener('abort', close, { once: true })
  notifications.listen(queueChannel(kind), {
    onNotification: (from) => {
      if (from !== String(instanceId)) look()
    },
    onGap: look,
  })
  return { join, slotRequest, size }

  /**
   * Lets the statement that begins a turn take a slot, so that its request need not join and wait for a statement of
   * its own. Undefined where others of this process wait.
   */
  function slotRequest(): SlotRequest | undefined {
    return waiters.size === 0 && !signal.aborted ? stored.slotRequest() : undefined
  }

  function size(): number {
    return snapshot?.waiting.length ?? 0
  }

  /**
   * @param onPosition Called with the position while it waits, if that is for more than a moment.
   * @param onWaiting Called when it has to wait, for the first time or after a refusal.
   * @param sentAt When it goes, where it has a slot already.
   */
  function join(
    { id, userId }: Pick<QueueEntry, 'id' | 'userId'>,
    {
      onPosition,
      onWaiting,
      sentAt,
    }: {
      onPosition: (position: QueuePosition) => void
      onWaiting?: () => void
      sentAt?: Date | undefined
    },
  ) {
    const reporting = reportPosition({ position, onPosition, queueSize: size, clock })
    let gate = closedGate()
    let sent: SentRequest | undefined
    let left: Error | undefined
    let isReported = false
    const waiter: Waiter = {
      id,
      userId,
      go: (one) => {
        sent = one
        reporting.pause()
        gate.resolve()
      },
      fail: (reason) => {
        reporting.pause()
        gate.reject(reason)
      },
      wait: () => {
        if (!isReported) onWaiting?.()
        isReported = true
      },
    }
    if (signal.aborted) gate.reject(signal.reason)
    else if (sentAt !== undefined) waiter.go({ sentAt: sentAt.getTime(), isStored: false })
    else wait({})
    return {
      /**
       * Resolves when the request may go; after a refusal, when it may go again.
       *
       * @throws {LeftQueueError} If it left; another reason, where it left for that.
       * @throws The signal's reason if it aborted.
       */
      letThrough: () => gate.promise,
      accepted: () => {
        if (sent?.isStored) record({ id, userId, waits: false, isHeard: true })
      },
      refused,
      away,
      uncounted: () => record({ id, userId, waits: false, uncountedAt: sent?.sentAt }),
      leave,
      position,
    }

    function wait(outcome: RequestOutcome): void {
      waiters.set(id, waiter)
      reporting.resume()
      record({ id, userId, waits: true, ...outcome })
    }

    /** The service wants no request for so long: this one gets its earlier position back. */
    function refused(retryAfterMs = CLOSES_MS): void {
      goBack({ uncountedAt: sent?.sentAt, closesMs: retryAfterMs })
    }

    /**
     * The service is away: this one goes back to the end, and others are tried, one now and then.
     *
     * @param isCounted True if the service may have counted the request.
     */
    function away({ retryAfterMs, isCounted }: AwayAnswer): void {
      const uncountedAt = isCounted ? undefined : sent?.sentAt
      goBack({ uncountedAt, closesMs: retryAfterMs, isAway: true })
    }

    function goBack(outcome: RequestOutcome): void {
      gate = closedGate()
      isReported = false
      if (left !== undefined || signal.aborted) {
        gate.reject(left ?? signal.reason)
        record({ id, userId, waits: false, ...outcome })
      } else wait(outcome)
    }

    /**
     * Takes it out: its request is not made, or not made again.
     *
     * @param reason `letThrough()` throws it.
     * @returns True if it waited. Otherwise the service may have been asked.
     */
    function leave(reason: Error = new LeftQueueError()): boolean {
      left = reason
      if (!waiters.delete(id)) return false
      waiter.fail(reason)
      record({ id, userId, waits: false })
      return true
    }

    function position(): QueuePosition | undefined {
      if (snapshot === undefined || !waiters.has(id)) return undefined
      const { waiting, slots, now, readAt, isAway } = snapshot
      const index = waiting.findIndex((one) => one.id === id)
      const slotAt = slots[index]
      if (slotAt === undefined) return undefined
      const waitMs = Math.max(0, slotAt - now - (clock.now() - readAt))
      return { position: index + 1, waitMs, isAway }
    }
  }

  function record(change: EntryChange): void {
    pending.push(change)
    void work()
  }

  function look(): void {
    isLookWanted = waiters.size > 0
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
        log.warn(errorFacts(error), 'queue for the service not changed')
        // Entries of a process that stops are passed over when it has ended.
        if (signal.aborted) break
        pending = [...changes, ...pending]
        // Stopping aborts the sleep.
        await clock.sleep(RETRY_MS, signal).catch(() => {})
      }
    }
    isAtWork = false
  }

  async function step(changes: readonly EntryChange[]): Promise<void> {
    if (changes.length === 0 && waiters.size === 0) return
    if (changes.length === waiters.size && changes.every(isNew)) {
      const sentAt = await stored.takeSlots(changes.length)
      if (sentAt !== undefined) {
        for (const { id } of changes) letThrough(id, { sentAt, isStored: false })
        return
      }
    }
    const readAt = clock.now()
    snapshot = { ...(await stored.change(changes)), readAt }
    notifyWaiters(snapshot)
    lookAtNextSlot(snapshot)
  }

  function notifyWaiters({ sent, waiting }: QueueSnapshot): void {
    const entries = new Map([...sent, ...waiting].map((entry) => [entry.id, entry]))
    const unreported = new Set(pending.map(({ id }) => id))
    for (const { id, userId, wait } of waiters.values()) {
      if (unreported.has(id)) continue
      const entry = entries.get(id)
      // This process was taken for dead, since its connection was gone for a moment.
      if (entry === undefined) record({ id, userId, waits: true })
      // Another process has taken the turn over, and this one must not ask any more.
      else if (entry.leaseOwner !== instanceId) continue
      else if (entry.sentAt === undefined) wait()
      else letThrough(id, { sentAt: entry.sentAt, isStored: true })
    }
  }

  function letThrough(id: bigint, sent: SentRequest): void {
    waiters.get(id)?.go(sent)
    waiters.delete(id)
  }

  function lookAtNextSlot({ now, slots: [slotAt] }: QueueSnapshot): void {
    alarm.abort()
    if (waiters.size === 0 || slotAt === undefined) return
    alarm = new AbortController()
    // The next alarm, or the end, aborts the sleep.
    clock.sleep(slotAt - now, alarm.signal).then(look, () => {})
  }

  function close(): void {
    alarm.abort()
    for (const { fail } of waiters.values()) fail(signal.reason)
    waiters.clear()
    pending = pending.filter(({ waits }) => !waits)
    stored.release().catch((error: unknown) => {
      log.warn(errorFacts(error), 'entries of the queue not given back')
    })
  }
}

export type ServiceQueue = ReturnType<typeof createServiceQueue>

/** A turn or an order and the request that it has to make. */
export type QueueTicket = ReturnType<ServiceQueue['join']>

function isNew({ waits, uncountedAt, isAway = false }: EntryChange): boolean {
  return waits && uncountedAt === undefined && !isAway
}

function closedGate(): PromiseWithResolvers<void> {
  const gate = Promise.withResolvers<void>()
  // Avoids an unhandled rejection where the wait ends before anyone awaits it.
  gate.promise.catch(() => {})
  return gate
}
