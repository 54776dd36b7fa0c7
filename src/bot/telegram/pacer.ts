/**
 * The way of the outbox's calls to Telegram: each waits for its turn, keeps the pace, and is repeated after a 429.
 * In: calls of the outbox. Out: their outcomes.
 * Calls to one chat are made one at a time, in order. A call that must arrive waits as long as it must; an interim call
 * is dropped rather than queued.
 */
import type { Logger } from 'pino'
import { type Clock, systemClock } from '../../platform/time/clock.ts'
import { backoffMs } from '../../platform/time/retry.ts'
import { ChatQueue, drop, type Job, type PacedCall, type Pause } from './chat-queue.ts'
import { type CallFailure, readFailure } from './errors.ts'
import { createChatPace, createOverallPace, SEND_LIMITS, type SendLimits } from './pace.ts'

const BACKOFF = { firstMs: 1000, maxMs: 30_000 }
/** Above this number idle chats are evicted. */
const CHATS_MAX = 1000
/** Timers of Node cannot be much longer than three weeks. */
const SLEEP_MS_MAX = 3_600_000
/** The order of calls to all chats. */
const PLACES = ['answer', 'new', 'final', 'interim'] as const

const UNPACED = { freeAt: () => 0, take: () => {}, slowDown: () => {} }

export interface PacerOptions {
  clock?: Clock
  limits?: SendLimits | undefined
  /** The part of the overall limit that this process may use: less than 1 during a hand-over. */
  share?: () => number
  log?: Logger
}

/** Makes calls in the order of `PLACES`, then of the longest wait. Typing is shown at once or dropped. */
export class Pacer {
  readonly share: () => number
  readonly #clock: Clock
  readonly #limits: SendLimits
  readonly #log: Logger | undefined
  readonly #overall: ReturnType<typeof createOverallPace>
  readonly #chats = new Map<number, ChatQueue>()
  /** Chats with a call to make. Chats that have waited longest come first. */
  readonly #waiting = new Map<ChatQueue, Job['call']['urgency']>()
  #isRunning = false
  #wake = () => {}

  constructor({ clock = systemClock, limits = SEND_LIMITS, ...options }: PacerOptions = {}) {
    this.share = options.share ?? (() => 1)
    this.#clock = clock
    this.#limits = limits
    this.#log = options.log
    this.#overall = createOverallPace(clock, limits.overall, this.share)
  }

  /**
   * Makes a call when its turn comes.
   *
   * @returns Its outcome; `dropped` of a call that need not arrive and cannot be made now.
   * @throws Telegram's refusal, or the signal's reason; of a new message also an unknown outcome.
   */
  async run<T>(call: PacedCall<T>): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>()
    const job: Job = { call, attempts: 0, ended: promise, resolve, reject }
    const chat = this.#chatOf(call.chatId)
    const leave = () => this.#leave(job, chat)
    if (call.signal?.aborted) leave()
    else this.#add(job, chat)
    call.signal?.addEventListener('abort', leave, { once: true })
    try {
      return await promise
    } finally {
      call.signal?.removeEventListener('abort', leave)
    }
  }

  #add(job: Job, chat: ChatQueue): void {
    if (job.call.urgency === 'typing') {
      const hasRoom = this.#overall.mayType() && this.#choose().at > this.#clock.now()
      if (hasRoom && chat.takeTyping()) void this.#startTyping(job, chat)
      else drop(job)
      return
    }
    for (const older of chat.add(job)) {
      const addAgain = () => older.call.signal?.aborted || this.#add(older, chat)
      job.ended.then(older.resolve, addAgain)
    }
    this.#check(chat)
  }

  /** A new message that was sent is not aborted: only its answer holds the message's id. */
  #leave(job: Job, chat: ChatQueue): void {
    const hasWaited = chat.remove(job)
    if (isDroppable(job)) drop(job)
    else if (hasWaited) job.reject(job.call.signal?.reason)
    this.#check(chat)
  }

  #check(chat: ChatQueue): void {
    const urgency = chat.next?.call.urgency
    if (urgency === this.#waiting.get(chat)) return
    if (urgency === undefined) this.#waiting.delete(chat)
    else this.#waiting.set(chat, urgency)
    if (this.#isRunning) this.#wake()
    else void this.#makeCalls()
  }

  async #makeCalls(): Promise<void> {
    this.#isRunning = true
    while (this.#waiting.size > 0) {
      const { at, start } = this.#choose()
      const waitMs = at - this.#clock.now()
      if (waitMs <= 0) start()
      else await this.#sleep(Math.min(waitMs, SLEEP_MS_MAX))
    }
    this.#isRunning = false
  }

  #choose(): { at: number; start: () => void } {
    const now = this.#clock.now()
    const newAt = this.#overall.freeAt('new')
    const freeAt = {
      answer: newAt,
      new: newAt,
      final: this.#overall.freeAt('final'),
      interim: this.#overall.freeAt('interim'),
    }
    let at = Number.POSITIVE_INFINITY
    let chosen: { job: Job; chat: ChatQueue; place: number } | undefined
    for (const chat of this.#waiting.keys()) {
      const job = chat.next
      if (job === undefined || job.call.urgency === 'typing') continue
      const { urgency } = job.call
      const place = PLACES.indexOf(urgency)
      const free = Math.max(chat.freeAt(job), freeAt[urgency])
      at = Math.min(at, free)
      if (free <= now && place < (chosen?.place ?? PLACES.length)) chosen = { job, chat, place }
    }
    const { job, chat } = chosen ?? {}
    return { at, start: () => job && chat && void this.#startInChat(job, chat) }
  }

  /** A call whose attempt failed waits again, after the chats that have waited. */
  async #startInChat(job: Job, chat: ChatQueue): Promise<void> {
    this.#waiting.delete(chat)
    if (hasOutcome(job)) {
      chat.remove(job)
      return this.#check(chat)
    }
    const { isQuiet } = chat
    const pause = await chat.run(job, () => this.#attempt(job))
    const { chatId } = job.call
    if (pause === undefined) this.#overall.done()
    else if (pause.isFlood && isQuiet && chatId !== undefined) {
      this.#overall.flooded(chatId, pause.retryAfterMs)
    }
    this.#check(chat)
  }

  /** Typing shares a chat's flood waits, but not the order of its calls. */
  async #startTyping(job: Job, chat: ChatQueue): Promise<void> {
    const pause = await this.#attempt(job)
    if (pause?.isFlood) chat.pause(pause)
    this.#check(chat)
  }

  /** @returns The wait before the next call to its chat; undefined when it has gone well or will not be repeated. */
  async #attempt(job: Job): Promise<Pause | undefined> {
    const { call } = job
    const answered = this.#overall.take(call.urgency === 'interim')
    try {
      await call.onAttempt?.()
      job.resolve(await call.attempt())
      return undefined
    } catch (error) {
      try {
        return await this.#afterFailure(job, error)
      } catch (reason) {
        // A mistake of the program: a call that must arrive will throw it.
        if (isDroppable(job)) drop(job)
        else job.reject(reason)
        return undefined
      }
    } finally {
      answered()
      this.#wake()
    }
  }

  async #afterFailure(job: Job, error: unknown): Promise<Pause | undefined> {
    const { chatId, key, urgency, signal, onNothingSent } = job.call
    signal?.throwIfAborted()
    const failure = readFailure(error)
    if (failure.type !== 'refused') {
      const { type, ...facts } = failure
      this.#log?.warn({ chatId, call: key, failure: type, ...facts }, 'call to Telegram failed')
    }
    if (failure.type !== 'unknown') await onNothingSent?.()
    job.attempts += 1
    const pause = pauseAfter(failure, job)
    if (pause === undefined) job.reject(error)
    else if (urgency === 'interim' || urgency === 'typing') drop(job)
    return pause
  }

  #chatOf(chatId: number | undefined): ChatQueue {
    if (chatId === undefined) return new ChatQueue(this.#clock, UNPACED)
    const known = this.#chats.get(chatId)
    if (known !== undefined) return known
    if (this.#chats.size >= CHATS_MAX) {
      for (const [id, chat] of this.#chats) if (chat.isForgettable) this.#chats.delete(id)
    }
    const chat = new ChatQueue(this.#clock, createChatPace(this.#clock, this.#limits, chatId))
    this.#chats.set(chatId, chat)
    return chat
  }

  async #sleep(ms: number): Promise<void> {
    const woken = new AbortController()
    // A reason of its own saves the error that abort() makes.
    this.#wake = () => woken.abort('woken')
    // The sleep ends early with an abort when there is something else to do.
    await this.#clock.sleep(ms, woken.signal).catch(() => {})
    this.#wake = () => {}
  }
}

function hasOutcome({ call, resolve, reject }: Job): boolean {
  try {
    const outcome = call.findOutcome?.()
    if (outcome !== undefined) resolve(outcome)
    return outcome !== undefined
  } catch (reason) {
    reject(reason)
    return true
  }
}

function isDroppable({ call }: Job): boolean {
  return call.dropped !== undefined
}

function pauseAfter(failure: CallFailure, { call, attempts }: Job): Pause | undefined {
  if (failure.type === 'flooded') return { retryAfterMs: failure.retryAfterMs, isFlood: true }
  const isRepeatable = call.urgency !== 'new'
  const isRetried = failure.type === 'not_sent' || (failure.type === 'unknown' && isRepeatable)
  if (!isRetried) return undefined
  return { retryAfterMs: backoffMs(BACKOFF, attempts), isFlood: false }
}
