import { createConcurrentSink, createRunner } from '@grammyjs/runner'
import { BotError } from 'grammy'
import type { Update } from 'grammy/types'
import type { Pool } from 'pg'
import type { Logger } from 'pino'
import type { Prisma } from '../../../platform/database/generated/client.ts'
import { type Instance, LeaseLostError } from '../../../platform/database/instance.ts'
import { leadWhenFree } from '../../../platform/database/leader.ts'
import type { Notifications } from '../../../platform/database/notifications.ts'
import { retryUntilStored } from '../../../platform/database/retry-until-stored.ts'
import type { Sweep } from '../../../platform/database/sweep.ts'
import { isDatabaseTrouble, isDataRefusal } from '../../../platform/database/trouble.ts'
import { foldRepeats } from '../../../platform/fold-repeats.ts'
import { type Clock, systemClock } from '../../../platform/time/clock.ts'
import { settleWithin } from '../../../platform/time/graceful-stop.ts'
import type { TelegramApi } from '../api.ts'
import { errorFacts } from '../error-facts.ts'
import { keepTrying } from '../keep-trying.ts'
import { createBeginInOrder } from './begin-in-order.ts'
import { createLeaseSource } from './lease-source.ts'
import { pollUpdates } from './poll-updates.ts'
import { createStoredParts, type JoinedUpdate } from './stored-parts.ts'
import {
  createStoredUpdates,
  INBOX_CHANNEL,
  type LeasedUpdate,
  type NewUpdate,
} from './stored-updates.ts'
import { tryData } from './try-data.ts'
import {
  type BeginsTurn,
  conversationKeyOf,
  type Delivery,
  sentAtOf,
  waitMsOf,
} from './update-facts.ts'

/** Handlers that run at once; the rest waits in the database. */
const HANDLERS_MAX = 10_000
/** By webhook updates overtake each other; one that is late holds up those after it so long. */
const GAP_MS = 2_000
/** What waited for an update that it had overtaken is looked for so soon, though that update itself waits for more. */
const OVERTAKEN_MS = 150
/** What was just being stored when nothing was seen after an update is looked for so much later, for all of them at once. */
const UNSEEN_MS = 500
const PURGE_INTERVAL_MS = 3_600_000
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

/** What only the inbox knows of an update, and is to be told of it. */
export interface UpdateFacts
  extends Pick<JoinedUpdate, 'isFirst' | 'isLate' | 'isBeside' | 'parts'> {
  /**
   * SQL that lets those after it be noted, for the statement that begins its turn: `BegunTogether`. Where it is
   * missing a statement of the inbox does it.
   */
  noteSql?: ((begun: Prisma.Sql) => Prisma.Sql) | undefined
  /**
   * Lets those after it be noted: it has a turn. Where it is beside another one it waits for that turn once
   * its handler returns, and is handled again when it comes; without this it counts as handled.
   *
   * @param isFollowed What `noteSql` gave, where its statement did it.
   */
  onNoted: (isFollowed?: boolean) => void
}

/** What a handler returns once the conversation of its update may go on. */
export interface Released {
  /** What is left to be done of the update; it counts as handled after that. */
  settled?: Promise<void> | undefined
}

export interface InboxDeps {
  api: Pick<TelegramApi, 'polls'>
  pool: Pool
  /** Tells what other processes gave back. */
  notifications: Pick<Notifications, 'listen'>
  sweep: Pick<Sweep, 'add'>
  instance: Pick<Instance, 'id' | 'lost'>
  /** `webhook`: nothing is fetched, updates come by `receive()`. */
  delivery: Delivery
  beginsTurn: BeginsTurn
  /**
   * Handles one update. Those of one conversation come in order, the next when the one before has ended or
   * is noted; one that is noted has its turn when the one before it is released.
   */
  handle: (update: Update, facts: UpdateFacts) => Promise<Released>
  log: Logger
  /** Paces what is repeated towards Telegram; the database has a time of its own. */
  clock?: Clock
}

/**
 * The way in: every update is in the database before Telegram is told that it arrived, and is
 * handled from there, by one process of those that share it. An update whose handler threw counts
 * as handled: it would throw again, unless the database was away. So does one with data that the database
 * refuses five times: those after it do not wait for it.
 */
export function createInbox(deps: InboxDeps) {
  const { api, delivery, beginsTurn, handle, log, clock = systemClock } = deps
  /** Of what is tried again until the database or Telegram is back. */
  const troubles = foldRepeats(log)
  const stopping = new AbortController()
  const aborted = new AbortController()
  const failed = Promise.withResolvers<never>()
  // A process that does not wait for it is not ended by it.
  failed.promise.catch(() => {})
  const stored = createStoredUpdates({ pool: deps.pool, instanceId: deps.instance.id })
  const storedParts = createStoredParts(deps)
  const source = createLeaseSource({
    stored,
    gapMs: delivery === 'webhook' ? GAP_MS : 0,
    handling: () => [...storing, ...sink.snapshot().map(({ update }) => update.update_id)],
    log: troubles,
  })
  const sink = createConcurrentSink({ consume }, async () => {}, { concurrency: HANDLERS_MAX })
  const runner = createRunner(source, sink)
  const beginInOrder = createBeginInOrder({ clock: systemClock, signal: stopping.signal })
  /** The ids of what is being stored, and may be leased by that. */
  const storing = new Set<number>()
  /** Whether a statement that stores and leases may go on, though its answer got lost. */
  let mayStoreStill = false
  /** The sink tells how many handlers run, but not when the last one has ended. */
  const handlers = new Set<Promise<void>>()
  let polling: Promise<void> = Promise.resolve()
  return {
    start,
    /** Stores an update that Telegram sent, and has it handled by this process or another one. */
    receive: (update: Update) => store([update]),
    stop,
    /** Rejects with a `SettingRefusedError` when no more updates can be received; never resolves. */
    whenFailed: failed.promise,
    /** Aborted when handlers shall not begin any more. */
    stopping: stopping.signal,
    /** Aborted when handlers that run shall end at once. */
    aborted: aborted.signal,
  }

  /** Handles what was left by processes that ended, then what Telegram has. */
  function start(): void {
    const { notifications, sweep } = deps
    const wake = () => source.wake()
    notifications.listen(INBOX_CHANNEL, { onNotification: wake, onGap: wake })
    void sweep.add(() => stored.takeOver().then(wake))
    runner.start()
    void purge()
    if (delivery === 'poll') polling = poll().catch(failed.reject)
  }

  /** Only one process polls: Telegram would end the older of two polls. */
  function poll(): Promise<void> {
    return leadWhenFree((signal) => pollUpdates({ api, store, log: troubles, clock, signal }), {
      ...deps,
      signal: stopping.signal,
    })
  }

  async function store(updates: readonly Update[]): Promise<void> {
    if (updates.length === 0) return
    const add = (some: readonly Update[]) => addAndLease(some.map(toNewUpdate))
    const { refusal } = await tryData(() => add(updates), { clock, signal: stopping.signal })
    // One of them is it: the others are stored without it.
    if (refusal !== undefined) for (const update of updates) await storeAlone(update)

    async function storeAlone(update: Update): Promise<void> {
      const id = update.update_id
      try {
        await add([update])
      } catch (error) {
        if (!isDataRefusal(error)) throw error
        logSetAside(id, error)
        await stored.addHandled(id)
        source.wake()
      }
    }
  }

  /** By webhook updates come in any order, and each is looked at with those that it may have overtaken. */
  async function addAndLease(updates: readonly NewUpdate[]): Promise<void> {
    const isInOrder = delivery === 'poll'
    const hasRoom = handlers.size + updates.length <= HANDLERS_MAX && !stopping.signal.aborted
    const leases = isInOrder && hasRoom && source.mayOffer()
    const ids = leases ? updates.map(({ update }) => update.update_id) : []
    for (const id of ids) storing.add(id)
    try {
      const leased = await stored.add(updates, { leases })
      source.offer(leased)
      // The same was stored again, and has waited for it: what it leased is to be seen by now.
      if (mayStoreStill) source.doubt()
      mayStoreStill = false
      const leasedIds = new Set(leased.map(({ update }) => update.update_id))
      const left = updates.filter(({ update }) => !leasedIds.has(update.update_id))
      if (left.length > 0) source.wake(Math.min(OVERTAKEN_MS, ...left.map(({ waitMs }) => waitMs)))
    } catch (error) {
      if (leases) {
        mayStoreStill = true
        source.doubt()
      }
      throw error
    } finally {
      for (const id of ids) storing.delete(id)
    }
  }

  function toNewUpdate(update: Update): NewUpdate {
    return {
      update,
      conversationKey: conversationKeyOf(update, beginsTurn),
      sentAt: sentAtOf(update),
      waitMs: waitMsOf(update, delivery),
    }
  }

  function logSetAside(updateId: number, error: unknown): void {
    log.error({ ...errorFacts(error), updateId }, 'update set aside: the database cannot take it')
  }

  async function purge(): Promise<void> {
    while (!stopping.signal.aborted) {
      await Promise.all([stored.purge(), storedParts.purge()]).catch((error: unknown) => {
        log.warn(errorFacts(error), 'handled updates not purged')
      })
      // Stopping is what the wait is aborted for.
      await systemClock.sleep(PURGE_INTERVAL_MS, stopping.signal).catch(() => {})
    }
  }

  /** Never rejects. */
  function consume(leased: LeasedUpdate): Promise<void> {
    const handler = mayBegin(leased)
      .then((onBegun) => handleLeased(leased, onBegun).finally(onBegun))
      // The bot is stopping. A lease that cannot be given back ends with this process.
      .catch(() => stored.giveBack(leased.update.update_id).catch(() => {}))
      .finally(() => handlers.delete(handler))
    handlers.add(handler)
    return handler
  }

  /** What must not wait for an answer waits for no other update either. */
  async function mayBegin({ update }: LeasedUpdate): Promise<() => void> {
    return conversationKeyOf(update, beginsTurn) === undefined ? () => {} : beginInOrder()
  }

  /**
   * @param onBegun Told when it has its turn, or ends: the next one may begin.
   * @throws If the bot stops before the update is handled.
   */
  async function handleLeased(leased: LeasedUpdate, onBegun: () => void): Promise<void> {
    const retryOptions = { clock, log: troubles, signal: stopping.signal }
    const join = () => tryData(() => storedParts.join(leased), retryOptions)
    const { value: whole, refusal } = await keepTrying('join updates', join, retryOptions)
    stopping.signal.throwIfAborted()
    if (whole === undefined) {
      logSetAside(leased.update.update_id, refusal)
      return note('note an update that is set aside', () => stored.end(leased))
    }
    const updateId = whole.update.update_id
    try {
      const isOver = await retryUntilStored(() => handleToEnd(whole, onBegun), {
        clock,
        signal: aborted.signal,
        onTrouble: (error, delayMs) =>
          log.warn({ ...errorFacts(error), updateId, delayMs }, 'update not handled yet'),
      })
      if (!isOver) return
    } catch (error) {
      if (aborted.signal.aborted || isNotHandled(error)) throw error
      log.error({ ...errorFacts(error), updateId }, 'update failed')
    }
    await note('note a handled update', () => stored.end(whole))
  }

  /** @returns False if it has to wait for its turn. */
  async function handleToEnd(whole: JoinedUpdate, onBegun: () => void): Promise<boolean> {
    const { update, next, ...facts } = whole
    const { isBeside } = facts
    const noteIt = () => note('note an update', () => stored.note(whole))
    let isNoted = false
    try {
      const noteSql =
        isBeside || next.length > 0
          ? undefined
          : (begun: Prisma.Sql) => stored.noteSql(whole, begun)
      const { settled } = await handle(update, { ...facts, noteSql, onNoted })
      if (isBeside && isNoted) {
        await noteIt()
        // Its turn may have come meanwhile.
        source.wake()
        return false
      }
      if (settled === undefined) return true
      await note('let a conversation go on', () => stored.release(whole))
      await settled
      return true
    } catch (error) {
      throw reasonOf(error)
    }

    function onNoted(isFollowed?: boolean): void {
      if (isNoted) return
      isNoted = true
      onBegun()
      if (isBeside) return
      // The answer does not wait for it. Stopping is what ends it early.
      if (isFollowed === undefined) noteIt().catch(() => {})
      else lookAfter(isFollowed)
    }
  }

  /** The next update of the conversation may wait for what is noted. */
  async function note(action: string, step: () => Promise<boolean>): Promise<void> {
    const retryOptions = { clock, log: troubles, signal: aborted.signal }
    lookAfter(await keepTrying(action, step, retryOptions))
  }

  /** @param isFollowed Whether another update of the same conversation was seen, which may go on now. */
  function lookAfter(isFollowed: boolean): void {
    source.wake(isFollowed ? 0 : UNSEEN_MS)
  }

  /** Takes no more updates and waits for the handlers; those that need longer are aborted, their updates stay stored. */
  async function stop(timeoutMs: number): Promise<void> {
    stopping.abort(new NotHandledError())
    const ended = [polling, endHandlers()]
    if (!(await settleWithin(ended, timeoutMs, clock))) {
      aborted.abort(new NotHandledError())
      await settleWithin(ended, ABORT_MS, clock)
    }
    await stored.giveBackAllBut([]).catch((error: unknown) => {
      log.warn(errorFacts(error), 'updates not given back')
    })
  }

  async function endHandlers(): Promise<void> {
    if (runner.isRunning()) await runner.stop()
    await Promise.all(handlers)
  }
}

export type Inbox = ReturnType<typeof createInbox>

/**
 * Whether a handler ended without an end of its update: the bot stops, another process goes on with it, or
 * the database is away and it is handled again.
 */
export function isNotHandled(error: unknown): boolean {
  const isOver = error instanceof NotHandledError || error instanceof LeaseLostError
  return isOver || isDatabaseTrouble(error)
}

function reasonOf(error: unknown): unknown {
  return error instanceof BotError ? error.error : error
}
