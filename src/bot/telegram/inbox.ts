import {
  createConcurrentSink,
  createRunner,
  createSource,
  type RunnerHandle,
} from '@grammyjs/runner'
import { BotError } from 'grammy'
import type { Update } from 'grammy/types'
import type { Logger } from 'pino'
import { errorFacts } from '../error-facts.ts'
import { apiSignal, POLL_S, type TelegramApi } from './api.ts'
import { type Clock, systemClock } from './clock.ts'
import { keepTrying } from './keep-trying.ts'
import type { StoredUpdates } from './stored-updates.ts'

/** What the bot listens to. Telegram keeps an older list unless it is told one. */
const ALLOWED_UPDATES = [
  'message',
  'edited_message',
  'callback_query',
  'stopped_message_generation',
  'my_chat_member',
] as const

/** Updates handled or waiting in the line of their chat. Beyond it no more are fetched, not even a /stop. */
const HANDLING_MAX = 10_000
const BATCH_MAX = 100

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

export interface InboxDeps {
  api: Pick<TelegramApi, 'polls'>
  stored: StoredUpdates
  /** Handles one update. Those of one chat come in order; it decides which wait for each other. */
  handle: (update: Update) => Promise<void>
  log: Logger
  clock?: Clock
}

export interface Inbox {
  /** Hands out what the last run left, then what Telegram has. */
  start(): void
  /** Rejects with a `TokenRefusedError` when no more updates can be received; never resolves. */
  whenFailed: Promise<never>
  /** Aborted when handlers shall not begin any more. */
  stopping: AbortSignal
  /** Aborted when handlers that run shall end at once. */
  aborted: AbortSignal
  /** Takes no more updates and waits for the handlers; those that need longer are aborted, their updates stay stored. */
  stop(timeoutMs: number): Promise<void>
}

/**
 * The way in: every update is in the database before Telegram is told that it arrived, and until
 * its handling has ended. An update whose handler threw counts as handled: it would throw again.
 */
export function createInbox({ api, stored, handle, log, clock = systemClock }: InboxDeps): Inbox {
  const stopping = new AbortController()
  const aborted = new AbortController()
  const failed = Promise.withResolvers<never>()
  // Whoever wants to know awaits it; a process that does not is not ended by it.
  failed.promise.catch(() => {})
  const handling = new Set<Promise<void>>()
  let runner: RunnerHandle | undefined
  let isLeftRead = false
  let offset = 0
  return {
    start,
    stop,
    whenFailed: failed.promise,
    stopping: stopping.signal,
    aborted: aborted.signal,
  }

  function start(): void {
    const source = createSource<Update>({ supply })
    const sink = createConcurrentSink<Update>({ consume }, async () => {}, {
      concurrency: HANDLING_MAX,
    })
    runner = createRunner(source, sink)
    runner.start()
    runner.task()?.catch(failed.reject)
  }

  /** The next batch, stored. Fetching the one after it is what confirms it. */
  async function supply(limit: number): Promise<Update[]> {
    const batchMax = Math.min(limit, BATCH_MAX)
    if (!isLeftRead) {
      const left = await untilDone('read updates', () => stored.readLeft(batchMax))
      if (left.length > 0) return left
      isLeftRead = true
    }
    const updates = await untilDone('fetch updates', () => fetchUpdates(batchMax))
    const fresh = await untilDone('store updates', () => stored.add(updates))
    offset = (updates.at(-1)?.update_id ?? offset - 1) + 1
    return fresh
  }

  async function fetchUpdates(limit: number): Promise<Update[]> {
    const query = { offset, limit, timeout: POLL_S, allowed_updates: ALLOWED_UPDATES }
    return api.polls.getUpdates(query, apiSignal(stopping.signal))
  }

  function untilDone<T>(action: string, step: () => Promise<T>): Promise<T> {
    return keepTrying(action, step, { clock, log, signal: stopping.signal })
  }

  function consume(update: Update): Promise<void> {
    const task = handleAndForget(update).finally(() => handling.delete(task))
    handling.add(task)
    return task
  }

  async function handleAndForget(update: Update): Promise<void> {
    // A batch may come in while the bot stops.
    if (stopping.signal.aborted) return
    try {
      await handle(update)
    } catch (error) {
      if (aborted.signal.aborted || isNotHandled(error)) return
      log.error({ ...errorFacts(error), updateId: update.update_id }, 'update failed')
    }
    await forget(update.update_id)
  }

  async function forget(updateId: number): Promise<void> {
    try {
      await stored.remove(updateId)
    } catch (error) {
      // It is handled again after the next start; a turn and an order notice that they exist.
      log.error({ ...errorFacts(error), updateId }, 'handled update not deleted')
    }
  }

  async function stop(timeoutMs: number): Promise<void> {
    stopping.abort(new NotHandledError())
    // The runner ends on the abort; what it throws then is the abort again.
    runner?.stop()?.catch(() => {})
    if (await isIdleWithin(timeoutMs)) return
    aborted.abort(new NotHandledError())
    await isIdleWithin(ABORT_MS)
  }

  async function isIdleWithin(timeoutMs: number): Promise<boolean> {
    const ended = new AbortController()
    const idle = Promise.allSettled(handling).then(() => true)
    const late = clock.sleep(timeoutMs, ended.signal).then(
      () => false,
      () => true,
    )
    return Promise.race([idle, late]).finally(() => ended.abort())
  }
}

function isNotHandled(error: unknown): boolean {
  const reason = error instanceof BotError ? error.error : error
  return reason instanceof NotHandledError
}
