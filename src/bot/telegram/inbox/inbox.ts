import { BotError } from 'grammy'
import type { Update } from 'grammy/types'
import type { Pool } from 'pg'
import type { Logger } from 'pino'
import { leadWhenFree } from '../../../database/leader-lock.ts'
import type { Notifications } from '../../../database/notifications.ts'
import type { Session } from '../../../database/session.ts'
import type { Sweep } from '../../../database/sweep.ts'
import { type Clock, systemClock } from '../../../time/clock.ts'
import { settleWithin } from '../../../time/graceful-stop.ts'
import type { TelegramApi } from '../api.ts'
import { errorFacts } from '../error-facts.ts'
import { keepTrying } from '../keep-trying.ts'
import { joinUpdates } from './joined-updates.ts'
import { pollUpdates } from './poll-updates.ts'
import { createStoredParts } from './stored-parts.ts'
import { type ClaimedUpdate, createStoredUpdates, INBOX_CHANNEL } from './stored-updates.ts'
import {
  conversationKeyOf,
  type Delivery,
  type InboxRules,
  sentAtOf,
  waitMsOf,
} from './update-facts.ts'

/** Handlers that run at once; the rest waits in the database. */
const HANDLING_MAX = 10_000
const CLAIM_MAX = 100

/** By webhook updates overtake each other; one that is late holds those behind it up so long. */
const GAP_MS = 2_000
/** Finds what no notification told of, should there ever be such an update. */
const LOOK_EVERY_MS = 5_000
const PURGE_EVERY_MS = 3_600_000
/** What waits until an instant of the database's clock is looked at a little after it. */
const SLACK_MS = 5

/** Who wrote so long ago may not wait for an answer any more. */
const LATE_MS = 3_600_000

/** What is left of a handler gets this long to end once it was aborted. */
const ABORT_MS = 1_000

/** Thrown by a handler that did not begin, because the bot is stopping: its update stays stored. */
export class NotHandledError extends Error {
  override readonly name = 'NotHandledError'
  readonly code = 'not_handled'

  constructor() {
    super('Cannot handle update: the bot is stopping')
  }
}

export interface UpdateFacts {
  /** Sent more than an hour before any process took it up. */
  isLate: boolean
}

/** An update whose line may go on. */
export interface Passed {
  /** What is left to be done of it; it counts as handled after that. */
  settled?: Promise<void> | undefined
}

export interface InboxDeps extends InboxRules {
  api: Pick<TelegramApi, 'polls'>
  pool: Pool
  /** Holds the lock of the process that polls. */
  session: Pick<Session, 'connection'>
  /** Tells what other processes left. */
  notifications: Pick<Notifications, 'listen'>
  sweep: Pick<Sweep, 'add'>
  instanceId: number
  /** `webhook`: nothing is fetched, updates come by `receive()`. */
  delivery: Delivery
  /** Handles one update. Those of one conversation come in order, one after the other. */
  handle: (update: Update, facts: UpdateFacts) => Promise<Passed>
  log: Logger
  /** Paces what is repeated towards Telegram. */
  clock?: Clock
}

export interface Inbox {
  /** Hands out what was left by processes that died, then what Telegram has. */
  start(): void
  /** Stores an update that Telegram sent, and has it handled by this process or another one. */
  receive(update: Update): Promise<void>
  /** Rejects with a `SettingRefusedError` when no more updates can be received; never resolves. */
  whenFailed: Promise<never>
  /** Aborted when handlers shall not begin any more. */
  stopping: AbortSignal
  /** Aborted when handlers that run shall end at once. */
  aborted: AbortSignal
  /** Takes no more updates and waits for the handlers; those that need longer are aborted, their updates stay stored. */
  stop(timeoutMs: number): Promise<void>
}

/**
 * The way in: every update is in the database before Telegram is told that it arrived, and is
 * handled from there, by one process of those that share it. An update whose handler threw counts
 * as handled: it would throw again.
 */
export function createInbox(deps: InboxDeps): Inbox {
  const { api, delivery, handle, log, clock = systemClock } = deps
  const stored = createStoredUpdates(deps)
  const storedParts = createStoredParts(deps)
  const gapMs = delivery === 'webhook' ? GAP_MS : 0
  const stopping = new AbortController()
  const aborted = new AbortController()
  const failed = Promise.withResolvers<never>()
  // Whoever wants to know awaits it; a process that does not is not ended by it.
  failed.promise.catch(() => {})
  const handling = new Map<number, Promise<void>>()
  let polling: Promise<void> = Promise.resolve()
  let looking: Promise<void> = Promise.resolve()
  let nextLook: Promise<void> | undefined
  let isStarted = false
  let arrivals = 0
  let isGapWatched = false
  deps.notifications.listen(INBOX_CHANNEL, {
    onNotification: () => void look(),
    onGap: () => void look(),
  })
  return {
    start,
    receive: (update) => store([update]),
    stop,
    whenFailed: failed.promise,
    stopping: stopping.signal,
    aborted: aborted.signal,
  }

  function start(): void {
    isStarted = true
    void deps.sweep.add(async () => {
      await stored.takeOver()
      await look()
    })
    void repeat(LOOK_EVERY_MS, look)
    void repeat(PURGE_EVERY_MS, async () => {
      while (!stopping.signal.aborted && (await stored.purge())) {}
      await storedParts.purge()
    })
    if (delivery === 'poll') polling = poll().catch(failed.reject)
  }

  /** Only one process polls: Telegram would end the older of two polls. */
  function poll(): Promise<void> {
    return leadWhenFree((signal) => pollUpdates({ api, store, log, clock, signal }), {
      session: deps.session,
      clock: systemClock,
      signal: stopping.signal,
    })
  }

  async function repeat(everyMs: number, step: () => Promise<void>): Promise<void> {
    while (!stopping.signal.aborted) {
      await step().catch((error: unknown) => log.warn(errorFacts(error), 'inbox not looked after'))
      await pause(everyMs)
    }
  }

  /** Ends early when the bot stops. The database has a time of its own, which `clock` does not move. */
  async function pause(delayMs: number): Promise<void> {
    await systemClock.sleep(delayMs, stopping.signal).catch(() => {})
  }

  async function store(updates: readonly Update[]): Promise<void> {
    const arrived = updates.map((update) => ({
      update,
      line: conversationKeyOf(update, deps),
      sentAt: sentAtOf(update),
      waitMs: waitMsOf(update, delivery),
    }))
    const added = await stored.add(arrived)
    const fresh = arrived.filter(({ update }) => added.has(update.update_id))
    if (fresh.length === 0) return
    arrivals += 1
    for (const waitMs of new Set(fresh.map((one) => one.waitMs))) {
      void (waitMs > 0 ? lookIn(waitMs) : look())
    }
    if (gapMs > 0) watchGap()
  }

  async function lookIn(delayMs: number): Promise<void> {
    await pause(delayMs + SLACK_MS)
    await look()
  }

  /** Looks when the wait for a missing update is over. */
  function watchGap(): void {
    if (isGapWatched) return
    isGapWatched = true
    const before = arrivals
    void lookIn(gapMs).then(() => {
      isGapWatched = false
      if (arrivals !== before && !stopping.signal.aborted) watchGap()
    })
  }

  /** Takes up what there is. @returns When all is taken up that was there when it was called. */
  function look(): Promise<void> {
    nextLook ??= looking.then(() => {
      nextLook = undefined
      looking = claimAll()
      return looking
    })
    return nextLook
  }

  async function claimAll(): Promise<void> {
    try {
      while (isStarted && !stopping.signal.aborted) {
        const limit = Math.min(CLAIM_MAX, HANDLING_MAX - handling.size)
        if (limit <= 0) return
        const claimed = await stored.claim({ limit, gapMs })
        for (const one of claimed ?? []) begin(one)
        if (claimed !== undefined && claimed.length < limit) return
      }
    } catch (error) {
      // The next look is near.
      log.warn(errorFacts(error), 'updates not claimed')
    }
  }

  function begin(claimed: ClaimedUpdate): void {
    const task = handleClaimed(claimed).finally(() => {
      handling.delete(claimed.id)
      if (handling.size === HANDLING_MAX - 1) void look()
    })
    handling.set(claimed.id, task)
  }

  async function handleClaimed(claimed: ClaimedUpdate): Promise<void> {
    try {
      const retryOptions = { clock, log, signal: stopping.signal }
      await handleOnce(await keepTrying('join updates', () => withParts(claimed), retryOptions))
    } catch {
      // The bot is stopping. What is not given back is found when this process has ended.
      await stored.release(claimed.id).catch(() => {})
    }
  }

  /**
   * Joins what belongs together, unless that was settled when the update was taken up before. Safe to
   * repeat.
   */
  async function withParts(claimed: ClaimedUpdate): Promise<ClaimedUpdate> {
    const whole = await storedParts.withOthers(claimed.update)
    const { update, parts } = joinUpdates(whole, claimed.next)
    if (!claimed.isFirst) return { ...claimed, update }
    const next = claimed.next.slice(0, Math.max(0, parts.length - 1))
    if (next.length > 0) {
      await storedParts.join(claimed.id, { partIds: next.map((part) => part.update_id), parts })
    }
    return { ...claimed, update, next }
  }

  async function handleOnce(claimed: ClaimedUpdate): Promise<void> {
    stopping.signal.throwIfAborted()
    const isLate = claimed.claimedAt.getTime() - claimed.sentAt.getTime() > LATE_MS
    try {
      const { settled } = await handle(claimed.update, { isLate })
      if (settled !== undefined) {
        await noteAndGoOn('let a line go on', () => stored.pass(claimed))
        await settled
      }
    } catch (error) {
      if (aborted.signal.aborted || isNotHandled(error)) throw error
      log.error({ ...errorFacts(error), updateId: claimed.id }, 'update failed')
    }
    await noteAndGoOn('note a handled update', () => stored.end(claimed))
  }

  /** @param note Tells whether the line has more. What arrives meanwhile it may not see. */
  async function noteAndGoOn(action: string, note: () => Promise<boolean>): Promise<void> {
    const before = arrivals
    const isAwaited = await keepTrying(action, note, { clock, log, signal: aborted.signal })
    if (isAwaited || arrivals !== before) void look()
  }

  async function stop(timeoutMs: number): Promise<void> {
    stopping.abort(new NotHandledError())
    await Promise.all([polling, looking])
    if (!(await settleWithin(handling.values(), timeoutMs, clock))) {
      aborted.abort(new NotHandledError())
      await settleWithin(handling.values(), ABORT_MS, clock)
    }
    await stored.releaseAll().catch((error: unknown) => {
      log.warn(errorFacts(error), 'updates not given back')
    })
  }
}

function isNotHandled(error: unknown): boolean {
  const reason = error instanceof BotError ? error.error : error
  return reason instanceof NotHandledError
}
