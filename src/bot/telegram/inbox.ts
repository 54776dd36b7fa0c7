/**
 * The way in: fetches updates, or gets them from the webhook, and hands them to a handler.
 *
 * Invariants: an update is stored before Telegram learns that it arrived. The active process handles stored updates,
 * those of one thread one after another, in the order in which they were sent. The row of an update is marked when its
 * handler has ended, so a handler may run again after a crash.
 */
import type { Update } from 'grammy/types'
import type { Pool } from 'pg'
import type { Logger } from 'pino'
import type { Instance } from '../../platform/database/instance/instance.ts'
import type { Notifications } from '../../platform/database/instance/session.ts'
import { isDataRefusal } from '../../platform/database/trouble.ts'
import { foldRepeats, type TroubleLog } from '../../platform/fold-repeats.ts'
import { atMost } from '../../platform/time/at-most.ts'
import { type Clock, systemClock } from '../../platform/time/clock.ts'
import { settleWithin } from '../../platform/time/graceful-stop.ts'
import { threadOf } from './addressing.ts'
import { apiSignal, keepTrying, POLL_S, type TelegramApi } from './api.ts'
import { errorFacts } from './errors.ts'
import { type JoinedUpdates, NotHandledError, UpdateHandling } from './handle-update.ts'
import { nextPrompt, toThreadKey } from './joined.ts'
import type { TelegramClock } from './telegram-clock.ts'
import { INBOX_CHANNEL, type NewUpdate, type StoredUpdate, UpdateStore } from './update-store.ts'
import { ALLOWED_UPDATES } from './webhook.ts'

/** Telegram gives no more updates at once. */
const BATCH_MAX = 100
/** Updates in memory, waiting or being handled; the rest waits in the database. */
const IN_MEMORY_MAX = 1_000
/** Finds updates whose notification was lost. */
const LOOK_INTERVAL_MS = 1_000
/** If all began at once, the requests of all users would be as late as the last one. */
const BEGINNING_MAX = 2
/** A handler that waits for a file or for Telegram delays other handlers for at most this time. */
const BEGINS_MS_MAX = 50
const STOP = /^\/stop(@\w+)?(\s|$)/i
const PURGE_INTERVAL_MS = 3_600_000
const ABORT_MS = 1_000

export interface InboxDeps {
  api: Pick<TelegramApi, 'polls'>
  pool: Pool
  notifications: Pick<Notifications, 'listen'>
  instance: Pick<Instance, 'lost' | 'leased'>
  /** `webhook`: updates come by `receive()` only. */
  delivery: 'poll' | 'webhook'
  handle: (update: Update) => Promise<void>
  onSetAside: (update: Update) => Promise<void>
  telegramNow?: TelegramClock['now']
  log: Logger
  clock?: Clock
}

interface Queue {
  waiting: (StoredUpdate & { arrivedMs: number })[]
  isBusy: boolean
  timer?: NodeJS.Timeout
}

export class Inbox {
  readonly #deps: InboxDeps
  readonly #clock: Clock
  readonly #store: UpdateStore
  readonly #handling: UpdateHandling
  readonly #troubles: TroubleLog
  readonly #stopping = new AbortController()
  readonly #aborted = new AbortController()
  readonly #failed = Promise.withResolvers<never>()
  /** Aborted when no more handlers begin. */
  readonly stopping = this.#stopping.signal
  /** Aborted when handlers have to end at once. */
  readonly aborted = this.#aborted.signal
  /** Rejects with a `SettingRefusedError` when no more updates can be received; never resolves. */
  readonly whenFailed = this.#failed.promise
  readonly #queues = new Map<string, Queue>()
  readonly #inMemory = new Set<number>()
  readonly #running = new Set<Promise<void>>()
  readonly #inTurn = atMost(BEGINNING_MAX)
  #isActive = false
  #waking = new AbortController()

  constructor(deps: InboxDeps) {
    this.#deps = deps
    this.#clock = deps.clock ?? systemClock
    this.#store = new UpdateStore(deps.pool, deps.telegramNow)
    this.#troubles = foldRepeats(deps.log)
    this.#handling = new UpdateHandling({
      ...deps,
      store: this.#store,
      clock: this.#clock,
      stopping: this.stopping,
      aborted: this.aborted,
    })
    // Avoids an unhandled rejection in a process that does not await it.
    this.whenFailed.catch(() => {})
    this.stopping.addEventListener('abort', () => this.#wake())
    const { lost } = deps.instance
    lost.addEventListener('abort', () => this.#stopping.abort(lost.reason))
  }

  factsOf = (update: Update) => this.#handling.factsOf(update)

  /** Stores an update, which the active process handles. Safe to repeat. */
  receive = (update: Update): Promise<void> => this.#add([update])

  /** Call this when the process has become the active one. */
  start(): void {
    if (this.stopping.aborted) return
    this.#isActive = true
    const wake = () => this.#wake()
    this.#deps.notifications.listen(INBOX_CHANNEL, { onNotification: wake, onGap: wake })
    this.#run(this.#begin().catch(this.#failed.reject))
    this.#run(this.#keepPurging())
  }

  /** Begins no more handlers and waits for running ones; other updates stay stored for the next active process. */
  async stop(timeoutMs: number): Promise<void> {
    this.#isActive = false
    this.#stopping.abort(new NotHandledError())
    for (const { timer } of this.#queues.values()) clearTimeout(timer)
    if (await settleWithin(this.#running, timeoutMs, this.#clock)) return
    this.#aborted.abort(new NotHandledError())
    await settleWithin(this.#running, ABORT_MS)
  }

  #run(work: Promise<void>): void {
    const running = work.finally(() => this.#running.delete(running))
    this.#running.add(running)
  }

  async #begin(): Promise<void> {
    try {
      const since = await keepTrying('read the time', () => this.#store.now(), this.#retryOptions)
      const polling = this.#deps.delivery === 'poll' ? this.#poll() : undefined
      await Promise.all([this.#keepLooking(since), polling])
    } catch (error) {
      if (!this.stopping.aborted) throw error
    }
  }

  get #retryOptions() {
    return { clock: this.#clock, log: this.#troubles, signal: this.stopping }
  }

  /** A batch is stored before the next fetch, which confirms it to Telegram. */
  async #poll(): Promise<void> {
    const query = { limit: BATCH_MAX, timeout: POLL_S, allowed_updates: ALLOWED_UPDATES }
    for (let offset = 0; ; ) {
      const fetchBatch = () =>
        this.#deps.api.polls.getUpdates({ ...query, offset }, apiSignal(this.stopping))
      const updates = await keepTrying('fetch updates', fetchBatch, this.#retryOptions)
      await keepTrying('store updates', () => this.#add(updates), this.#retryOptions)
      offset = (updates.at(-1)?.update_id ?? offset - 1) + 1
    }
  }

  async #add(updates: readonly Update[]): Promise<void> {
    if (updates.length === 0) return
    const add = (some: readonly Update[]) =>
      this.#store.add(some.map(toNewUpdate), { notifies: !this.#isActive })
    try {
      await add(updates)
    } catch (error) {
      if (!isDataRefusal(error)) throw error
      // One update is invalid: the others are stored without it.
      for (const update of updates) await this.#addAlone(update, add)
    }
    if (this.#isActive) this.#wake()
  }

  async #addAlone(
    update: Update,
    add: (updates: readonly Update[]) => Promise<void>,
  ): Promise<void> {
    try {
      await add([update])
    } catch (error) {
      if (!isDataRefusal(error)) throw error
      await this.#store.addHandled(update.update_id)
      this.#run(this.#handling.setAside(update, error))
    }
  }

  #wake(): void {
    this.#waking.abort('woken')
  }

  async #keepLooking(since: Date): Promise<void> {
    while (!this.stopping.aborted) {
      this.#waking = new AbortController()
      try {
        await this.#takeUp(since)
      } catch (error) {
        this.#troubles.warn(errorFacts(error), 'updates not read')
      }
      // Waking it aborts the sleep.
      await systemClock.sleep(LOOK_INTERVAL_MS, this.#waking.signal).catch(() => {})
    }
  }

  async #takeUp(since: Date): Promise<void> {
    const limit = IN_MEMORY_MAX - this.#inMemory.size
    if (limit <= 0) return
    const except = [...this.#inMemory]
    const found = await this.#store.findUnhandled({ except, limit, since })
    const keys = new Set<string>()
    for (const stored of found) {
      const key = queueKeyOf(stored.update)
      const queue = this.#queues.get(key) ?? { waiting: [], isBusy: false }
      queue.waiting.push({ ...stored, arrivedMs: performance.now() })
      queue.waiting.sort(bySending)
      this.#queues.set(key, queue)
      this.#inMemory.add(stored.update.update_id)
      keys.add(key)
    }
    for (const key of keys) this.#advance(key)
  }

  #advance(key: string): void {
    const queue = this.#queues.get(key)
    if (queue === undefined || queue.isBusy || this.stopping.aborted) return
    clearTimeout(queue.timer)
    const [first, ...next] = queue.waiting
    if (first === undefined) {
      this.#queues.delete(key)
      return
    }
    const { parts, count, waitMs } = nextPrompt([first, ...next], performance.now())
    if (waitMs > 0) {
      queue.timer = setTimeout(() => this.#advance(key), waitMs)
      return
    }
    const ids = queue.waiting.splice(0, count).map(({ update }) => update.update_id)
    queue.isBusy = true
    this.#run(
      this.#handle(first, { parts, ids }).finally(() => {
        queue.isBusy = false
        this.#advance(key)
      }),
    )
  }

  async #handle(first: StoredUpdate, prompt: JoinedUpdates): Promise<void> {
    try {
      await this.#beginInTurn(first.update, () => this.#handling.handle(first, prompt))
      for (const id of prompt.ids) this.#inMemory.delete(id)
    } catch (error) {
      // The bot stops, or another process is active, which handles it.
      this.#troubles.warn(errorFacts(error), 'update left to the next active process')
    }
  }

  /** Begins few messages at a time, in order of arrival. /stop and buttons do not wait. */
  async #beginInTurn(update: Update, handle: () => Promise<void>): Promise<void> {
    if (threadKeyOf(update) === null) return handle()
    const { promise: handled, resolve } = Promise.withResolvers<void>()
    await this.#inTurn(() => {
      const { promise: begun, resolve: end } = Promise.withResolvers<void>()
      const timer = setTimeout(end, BEGINS_MS_MAX)
      resolve(handle().finally(() => end(clearTimeout(timer))))
      return begun
    })
    await handled
  }

  async #keepPurging(): Promise<void> {
    while (!this.stopping.aborted) {
      await this.#store.purge().catch((error: unknown) => {
        this.#troubles.warn(errorFacts(error), 'handled updates not purged')
      })
      // Stopping aborts the sleep.
      await systemClock.sleep(PURGE_INTERVAL_MS, this.stopping).catch(() => {})
    }
  }
}

function bySending(one: StoredUpdate, other: StoredUpdate): number {
  return one.sentAtMs - other.sentAtMs || one.update.update_id - other.update.update_id
}

/** Messages and edits wait for their thread, presses only for presses on the same message, /stop for no update. */
function queueKeyOf(update: Update): string {
  const pressed = update.callback_query?.message
  if (pressed !== undefined) return `press ${pressed.chat.id} ${pressed.message_id}`
  return threadKeyOf(update) ?? `update ${update.update_id}`
}

export function threadKeyOf({ message, edited_message: edited }: Update): string | null {
  const isStop = message?.forward_origin === undefined && STOP.test(message?.text ?? '')
  const sent = message ?? edited
  return sent === undefined || isStop ? null : toThreadKey(threadOf(sent))
}

function toNewUpdate(update: Update): NewUpdate {
  const { message, edited_message: edited } = update
  const seconds = message?.date ?? edited?.edit_date
  const sentAt = seconds === undefined ? null : new Date(seconds * 1000)
  return { update, threadKey: threadKeyOf(update), sentAt }
}
