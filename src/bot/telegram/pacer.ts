/**
 * The way of every call to Telegram: it waits for its turn, keeps the pace, and is repeated after a 429.
 * In: calls of the outbox, and through `transformer` every other call of grammY's API. Out: their outcomes.
 * Calls to one chat are made one at a time, in order. A call that must arrive waits as long as it must; an interim call
 * is dropped rather than queued.
 */
import { GrammyError, type Transformer } from 'grammy'
import type { Logger } from 'pino'
import type { PrismaClient } from '../../platform/database/generated/client.ts'
import { readTime } from '../../platform/database/prisma.ts'
import { type Clock, systemClock } from '../../platform/time/clock.ts'
import { backoffMs } from '../../platform/time/retry.ts'
import {
  ChatQueue,
  drop,
  type Job,
  type PacedCall,
  type Pause,
  type Urgency,
} from './chat-queue.ts'
import { errorFacts } from './error-facts.ts'
import { type CallFailure, readFailure } from './failures.ts'
import { createOverallPace, SEND_LIMITS, type SendLimits } from './pace.ts'

/** Stands for every chat: nothing is sent to any. */
export const ALL_CHATS = 0

const BACKOFF = { firstMs: 1000, maxMs: 30_000 }
/** A shorter flood wait is over before another process could break it. */
const STORED_MS_MIN = 10_000
/** Beyond this many, idle chats are forgotten. */
const CHATS_MAX = 1000
/** Timers of Node cannot be much longer than three weeks. */
const SLEEP_MS_MAX = 3_600_000
/** The order of calls to all chats: a text that grows waits for whatever ends one. */
const PLACES = ['new', 'final', 'interim'] as const

export interface PacerOptions {
  clock?: Clock
  limits?: SendLimits | undefined
  /** The part of the overall limit that this process may use: less than 1 during a hand-over. */
  share?: () => number
  /** Keeps long flood waits for the next process. */
  prisma?: Pick<PrismaClient, 'floodWait' | '$queryRaw'>
  log?: Logger
}

/**
 * Decides which call to Telegram is made next, and when.
 *
 * Answers to buttons go first, then new messages, then last states, then edits on the way there; of each, the chat that
 * has waited longest. Typing is shown at once or not at all.
 */
export class Pacer {
  readonly share: () => number
  readonly #clock: Clock
  readonly #limits: SendLimits
  readonly #prisma: PacerOptions['prisma']
  readonly #log: Logger | undefined
  readonly #overall: ReturnType<typeof createOverallPace>
  readonly #chats = new Map<number, ChatQueue>()
  /** Chats with the urgency of their next call. Chats that have waited longest come first. */
  readonly #waiting = new Map<ChatQueue, Urgency>()
  readonly #answers: Job[] = []
  #answersFreeAt = Number.NEGATIVE_INFINITY
  #isRunning = false
  #wake = () => {}

  constructor({ clock = systemClock, limits = SEND_LIMITS, ...options }: PacerOptions = {}) {
    this.share = options.share ?? (() => 1)
    this.#clock = clock
    this.#limits = limits
    this.#prisma = options.prisma
    this.#log = options.log
    this.#overall = createOverallPace(clock, limits.overall, this.share)
  }

  /** Paces a call of grammY's API by its method and its chat. */
  readonly transformer: Transformer = async (prev, method, payload, signal) => {
    const place = placeOf(method, payload)
    if (place === undefined) return prev(method, payload, signal)
    return this.run({
      ...place,
      signal: signal as AbortSignal | undefined,
      attempt: async () => {
        const answer = await prev(method, payload, signal)
        if (answer.ok) return answer
        throw new GrammyError(`Call to '${method}' failed!`, answer, method, payload)
      },
    })
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
    const leave = () => this.#leave(job)
    if (call.signal?.aborted) leave()
    else this.#add(job)
    call.signal?.addEventListener('abort', leave, { once: true })
    try {
      return await promise
    } finally {
      call.signal?.removeEventListener('abort', leave)
    }
  }

  /** Sends nothing to a chat, or to any, for so long. */
  hold(chatId: number, retryAfterMs: number): void {
    if (chatId === ALL_CHATS) {
      this.#overall.pause(retryAfterMs)
      return
    }
    const chat = this.#chatOf(chatId)
    chat.pause({ retryAfterMs, isFlood: true })
    this.#check(chat)
  }

  /** Keeps the flood waits of earlier processes. */
  async readFloodWaits(): Promise<void> {
    if (this.#prisma === undefined) return
    const now = await readTime(this.#prisma)
    await this.#prisma.floodWait.deleteMany({ where: { until: { lte: now } } })
    for (const { chatId, until } of await this.#prisma.floodWait.findMany()) {
      this.hold(Number(chatId), until.getTime() - now.getTime())
    }
  }

  #add(job: Job): void {
    const { chatId, urgency } = job.call
    if (urgency === 'answer') {
      this.#answers.push(job)
      this.#rouse()
      return
    }
    const chat = this.#chatOf(chatId)
    if (urgency === 'typing') {
      const hasRoom = this.#overall.mayType() && this.#choose().at > this.#clock.now()
      if (hasRoom && chat.takeTyping()) void this.#startTyping(job)
      else drop(job)
      return
    }
    for (const older of chat.add(job)) {
      const addAgain = () => older.call.signal?.aborted || this.#add(older)
      job.ended.then(older.resolve, addAgain)
    }
    this.#check(chat)
  }

  /** A new message on its way is heard out: its answer may be all there is to know it by. */
  #leave(job: Job): void {
    const chat = this.#chatOf(job.call.chatId)
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
    this.#rouse()
  }

  #rouse(): void {
    if (this.#isRunning) this.#wake()
    else void this.#makeCalls()
  }

  async #makeCalls(): Promise<void> {
    this.#isRunning = true
    while (this.#answers.length + this.#waiting.size > 0) {
      const { at, start } = this.#choose()
      const waitMs = at - this.#clock.now()
      if (waitMs <= 0) start()
      else await this.#sleep(Math.min(waitMs, SLEEP_MS_MAX))
    }
    this.#isRunning = false
  }

  #choose(): { at: number; start: () => void } {
    const now = this.#clock.now()
    const freeAt = {
      new: this.#overall.freeAt('new'),
      final: this.#overall.freeAt('final'),
      interim: this.#overall.freeAt('interim'),
    }
    const [answer] = this.#answers
    let at = answer ? Math.max(this.#answersFreeAt, freeAt.new) : Number.POSITIVE_INFINITY
    if (answer && this.#answersFreeAt <= now) return { at, start: () => this.#startAnswer(answer) }
    let chosen: { job: Job; chat: ChatQueue; place: number } | undefined
    for (const chat of this.#waiting.keys()) {
      const job = chat.next
      if (job === undefined) continue
      const { urgency } = job.call
      const pace = urgency === 'new' || urgency === 'interim' ? urgency : 'final'
      const place = PLACES.indexOf(pace)
      const free = Math.max(chat.freeAt(job), freeAt[pace])
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
    const { isQuiet, chatId } = chat
    const startedAt = this.#clock.now()
    const pause = await this.#counted(job, () => chat.run(job, (one) => this.#attempt(one)))
    if (pause === undefined) this.#overall.done()
    else if (pause.isFlood) {
      const { retryAfterMs } = pause
      const isForAll = isQuiet && this.#overall.flooded(chatId, startedAt, retryAfterMs)
      void this.#store(isForAll ? ALL_CHATS : chatId, retryAfterMs)
    }
    this.#check(chat)
  }

  async #startAnswer(job: Job): Promise<void> {
    this.#answers.splice(this.#answers.indexOf(job), 1)
    if (hasOutcome(job)) return
    const pause = await this.#counted(job, () => this.#attempt(job))
    if (pause === undefined) return
    this.#answersFreeAt = Math.max(this.#answersFreeAt, this.#clock.now() + pause.retryAfterMs)
    this.#add(job)
  }

  /** Typing shares a chat's flood waits, but not the order of its calls. */
  async #startTyping(job: Job): Promise<void> {
    const pause = await this.#counted(job, () => this.#attempt(job))
    if (!pause?.isFlood) return
    this.hold(job.call.chatId, pause.retryAfterMs)
    await this.#store(job.call.chatId, pause.retryAfterMs)
  }

  async #counted(
    { call }: Job,
    make: () => Promise<Pause | undefined>,
  ): Promise<Pause | undefined> {
    const answered = this.#overall.take(call.urgency === 'interim')
    const pause = await make()
    answered()
    this.#wake()
    return pause
  }

  /** @returns The wait before the next call to its chat; undefined when it has gone well or will not be repeated. */
  async #attempt(job: Job): Promise<Pause | undefined> {
    const { call } = job
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

  async #store(chatId: number, retryAfterMs: number): Promise<void> {
    if (this.#prisma === undefined || retryAfterMs < STORED_MS_MIN) return
    try {
      const now = await readTime(this.#prisma)
      const until = new Date(now.getTime() + retryAfterMs)
      const where = { chatId }
      await this.#prisma.floodWait.upsert({ where, create: { chatId, until }, update: { until } })
    } catch (error) {
      // The next process learns of the wait by one call.
      this.#log?.warn(errorFacts(error), 'flood wait not stored')
    }
  }

  #chatOf(chatId: number): ChatQueue {
    const known = this.#chats.get(chatId)
    if (known !== undefined) return known
    if (this.#chats.size >= CHATS_MAX) {
      for (const [id, chat] of this.#chats) if (chat.isForgettable) this.#chats.delete(id)
    }
    const chat = new ChatQueue(this.#clock, this.#limits, chatId)
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

type Place = Pick<PacedCall<never>, 'chatId' | 'urgency' | 'key'>

/** Returns undefined for a method that shows nothing in a chat. */
function placeOf(method: string, payload: object): Place | undefined {
  if (method.startsWith('answer')) return { chatId: ALL_CHATS, urgency: 'answer' }
  const { chat_id, message_id } = payload as { chat_id?: unknown; message_id?: unknown }
  const chatId = Number(chat_id)
  if (Number.isNaN(chatId) || /^[gs]et/.test(method)) return undefined
  const isRepeatable = /^(edit|delete|pin|unpin)/.test(method)
  return isRepeatable
    ? { chatId, urgency: 'final', key: `edit ${message_id}` }
    : { chatId, urgency: 'new', key: method }
}

/** Ends a call that has become unnecessary. */
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
