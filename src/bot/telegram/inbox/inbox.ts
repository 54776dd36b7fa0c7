import { createConcurrentSink, createRunner } from '@grammyjs/runner'
import type { Update } from 'grammy/types'
import type { Pool } from 'pg'
import type { Logger } from 'pino'
import type { Instance } from '../../../platform/database/instance/instance.ts'
import type { Notifications } from '../../../platform/database/instance/notifications.ts'
import type { Sweep } from '../../../platform/database/instance/sweep.ts'
import { foldRepeats } from '../../../platform/fold-repeats.ts'
import { type Clock, systemClock } from '../../../platform/time/clock.ts'
import { settleWithin } from '../../../platform/time/graceful-stop.ts'
import { apiSignal, POLL_S, type TelegramApi } from '../api.ts'
import { errorFacts } from '../error-facts.ts'
import { keepTrying } from '../keep-trying.ts'
import type { TelegramClock } from '../telegram-clock.ts'
import { createBeginInOrder } from './begin-in-order.ts'
import { createLeaseSource } from './lease-source.ts'
import {
  createLeasedHandling,
  NotHandledError,
  type Released,
  type UpdateFacts,
} from './leased-handling.ts'
import { createStoredParts } from './stored-parts.ts'
import { createStoredUpdates, INBOX_CHANNEL, type LeasedUpdate } from './stored-updates.ts'
import {
  ALLOWED_UPDATES,
  type BeginsTurn,
  conversationKeyOf,
  type Delivery,
} from './update-facts.ts'
import { createUpdateStoring } from './update-storing.ts'

/** Telegram gives no more updates at once. */
const BATCH_MAX = 100
/** Handlers that run at once; the rest waits in the database. */
const HANDLERS_MAX = 10_000
/** How long a late update holds up those after it: by webhook they overtake each other. */
const GAP_MS = 2_000
const PURGE_INTERVAL_MS = 3_600_000
/** How long stored updates wait for the first batch: the process before may have left the beginning of an album. */
const FIRST_BATCH_MS = 1_000
/** How long an aborted handler may take to release its rows. Real time, since the database does not follow `clock`. */
const ABORT_MS = 1_000

export interface InboxDeps {
  api: Pick<TelegramApi, 'polls'>
  pool: Pool
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
  telegramNow?: TelegramClock['now']
  log: Logger
  /** Paces what is repeated towards Telegram; the database has a time of its own. */
  clock?: Clock
}

/**
 * The way in: every update is in the database before Telegram learns that it arrived, and is
 * handled from there by the active process. An update whose handler threw counts
 * as handled: it would throw again, unless the database was away. So does one with data that the database
 * refuses five times: those after it do not wait for it.
 */
export function createInbox(deps: InboxDeps) {
  const { api, pool, notifications, sweep, instance, delivery, beginsTurn, handle, log } = deps
  const { clock = systemClock } = deps
  const troubles = foldRepeats(log)
  const stopping = new AbortController()
  const aborted = new AbortController()
  const failed = Promise.withResolvers<never>()
  // A process that does not wait for it is not ended by it.
  failed.promise.catch(() => {})
  const stored = createStoredUpdates({
    pool,
    instanceId: instance.id,
    telegramNow: deps.telegramNow,
  })
  const storedParts = createStoredParts({ pool })
  const source = createLeaseSource({
    stored,
    gapMs: delivery === 'webhook' ? GAP_MS : 0,
    handling: () => [...storing(), ...sink.snapshot().map(({ update }) => update.update_id)],
    log: troubles,
  })
  const sink = createConcurrentSink({ consume }, async () => {}, { concurrency: HANDLERS_MAX })
  const runner = createRunner(source, sink)
  const beginInOrder = createBeginInOrder({ clock: systemClock, signal: stopping.signal })
  /** The handlers that run: the sink counts them, but does not show when the last one has ended. */
  const handlers = new Set<Promise<void>>()
  const { store, storing } = createUpdateStoring({
    stored,
    source,
    delivery,
    beginsTurn,
    mayLease: (count) => handlers.size + count <= HANDLERS_MAX && !stopping.signal.aborted,
    clock,
    log,
    signal: stopping.signal,
  })
  const handleLeased = createLeasedHandling({
    stored,
    storedParts,
    source,
    handle,
    clock,
    log,
    troubles,
    stopping: stopping.signal,
    aborted: aborted.signal,
  })
  let polling: Promise<void> = Promise.resolve()
  const firstBatch = Promise.withResolvers<void>()
  let isHandling = false
  return {
    start,
    receive,
    stop,
    /** Rejects with a `SettingRefusedError` when no more updates can be received; never resolves. */
    whenFailed: failed.promise,
    stopping: stopping.signal,
    aborted: aborted.signal,
  }

  /** Stores an update. Of a process that stands by, the active one handles it. */
  async function receive(update: Update): Promise<void> {
    await store([update])
    if (!isHandling) await stored.notifyOthers()
  }

  /** Fetches and handles updates from now on. */
  function start(): void {
    isHandling = true
    const wake = () => source.wake()
    notifications.listen(INBOX_CHANNEL, { onNotification: wake, onGap: wake })
    void sweep.add(() => stored.takeOver().then(wake))
    void purge()
    if (delivery === 'poll') polling = pollUpdates(stopping.signal).catch(failIfHandling)
    void startRunner()
  }

  async function startRunner(): Promise<void> {
    if (delivery === 'poll') {
      const wait = systemClock.sleep(FIRST_BATCH_MS, stopping.signal)
      // Stopping aborts the sleep.
      await Promise.race([firstBatch.promise, wait]).catch(() => {})
    }
    if (!stopping.signal.aborted) runner.start()
  }

  function failIfHandling(error: unknown): void {
    if (!stopping.signal.aborted && !instance.lost.aborted) failed.reject(error)
  }

  /**
   * Fetches updates until the signal is aborted. A batch is stored before the next one is fetched, which confirms it.
   *
   * @throws {SettingRefusedError} If Telegram does not know the token; the signal's reason.
   */
  async function pollUpdates(signal: AbortSignal): Promise<void> {
    const retryOptions = { clock, log: troubles, signal }
    for (let offset = 0; ; ) {
      const query = { offset, limit: BATCH_MAX, timeout: POLL_S, allowed_updates: ALLOWED_UPDATES }
      const fetchBatch = () => api.polls.getUpdates(query, apiSignal(signal))
      const updates = await keepTrying('fetch updates', fetchBatch, retryOptions)
      await keepTrying('store updates', () => store(updates), retryOptions)
      firstBatch.resolve()
      offset = (updates.at(-1)?.update_id ?? offset - 1) + 1
    }
  }

  async function purge(): Promise<void> {
    while (!stopping.signal.aborted) {
      await Promise.all([stored.purge(), storedParts.purge()]).catch((error: unknown) => {
        log.warn(errorFacts(error), 'handled updates not purged')
      })
      // Stopping aborts the sleep.
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

  async function mayBegin({ update }: LeasedUpdate): Promise<() => void> {
    return conversationKeyOf(update, beginsTurn) === undefined ? () => {} : beginInOrder()
  }

  async function stop(timeoutMs: number): Promise<void> {
    isHandling = false
    stopping.abort(new NotHandledError())
    const ended = [polling, endHandlers()]
    if (!(await settleWithin(ended, timeoutMs, clock))) {
      aborted.abort(new NotHandledError())
      await settleWithin(ended, ABORT_MS)
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
