import type { Clock } from '../../platform/time/clock.ts'
import type { ChatPace } from './pace.ts'

/** `answer` ends a button's wait, `final` is a message's last state, `interim` an earlier one; `typing` uses idle time. */
export type Urgency = 'answer' | 'new' | 'final' | 'interim' | 'typing'

export interface PacedCall<T> {
  /** Missing for an answer to a button, which no chat's pace delays. */
  chatId?: number
  urgency: Urgency
  /** The message that the call changes. Any newer call drops a waiting interim call of the same key. */
  key?: string
  /**
   * Keys of waiting calls that this call makes superfluous, if those have `replaces` themselves. A replaced call ends
   * as the newer call does, and is made after all if the newer call fails.
   */
  replaces?: readonly string[]
  attempt(): Promise<T>
  /** Called at the turn of the call, which is not made if there is an outcome. */
  findOutcome?: () => T | undefined
  /** Outcome of a dropped call; only calls with it may be dropped. */
  dropped?: T
  signal?: AbortSignal | undefined
  /** Called just before each attempt, which waits for it. */
  onAttempt?: (() => Promise<void>) | undefined
  /** Called after an attempt that surely had no effect. */
  onNothingSent?: (() => Promise<void>) | undefined
}

export interface Job {
  call: PacedCall<unknown>
  attempts: number
  ended: Promise<unknown>
  resolve(outcome: unknown): void
  reject(reason: unknown): void
}

export interface Pause {
  retryAfterMs: number
  isFlood: boolean
}

const QUIET_MS = 2000
/** A chat that was quiet for so long has its whole pace again. */
const FORGOTTEN_MS = 600_000

/** Makes the calls to one chat in order, one at a time, at the chat's pace. */
export class ChatQueue {
  readonly #clock: Clock
  readonly #pace: ChatPace
  readonly #waiting: Job[] = []
  readonly #interims = new Map<string, Job>()
  #running: Job | undefined
  #pausedUntil = Number.NEGATIVE_INFINITY
  #lastAt = Number.NEGATIVE_INFINITY
  #typedAt = Number.NEGATIVE_INFINITY

  constructor(clock: Clock, pace: ChatPace) {
    this.#clock = clock
    this.#pace = pace
  }

  get next(): Job | undefined {
    if (this.#running !== undefined) return undefined
    const [interim] = this.#interims.values()
    return this.#waiting[0] ?? interim
  }

  get isQuiet(): boolean {
    return this.#clock.now() - this.#lastAt >= QUIET_MS
  }

  get isForgettable(): boolean {
    const quietSince = Math.max(this.#lastAt, this.#pausedUntil)
    return !this.#isBusy && this.#clock.now() - quietSince >= FORGOTTEN_MS
  }

  freeAt({ call }: Job): number {
    return Math.max(this.#pausedUntil, this.#pace.freeAt(call.urgency === 'interim'))
  }

  /** @returns The waiting calls that it replaces: they no longer wait. */
  add(job: Job): Job[] {
    const { urgency, key = '', replaces = [] } = job.call
    const older = this.#interims.get(key)
    this.#interims.delete(key)
    if (older !== undefined) drop(older)
    if (urgency === 'interim') {
      if (this.#pausedUntil > this.#clock.now()) drop(job)
      else this.#interims.set(key, job)
      return []
    }
    const replaced = this.#waiting.filter(
      (waiting) =>
        waiting !== this.#running &&
        waiting.call.replaces !== undefined &&
        replaces.includes(waiting.call.key ?? ''),
    )
    for (const waiting of replaced) this.remove(waiting)
    this.#waiting.push(job)
    return replaced
  }

  /** Takes a waiting call out. @returns False if its attempt runs. */
  remove(job: Job): boolean {
    const index = this.#waiting.indexOf(job)
    if (index >= 0) this.#waiting.splice(index, 1)
    const { key = '' } = job.call
    if (this.#interims.get(key) === job) this.#interims.delete(key)
    return job !== this.#running
  }

  /** The next call is paced from the answer of this call: it has arrived by then. */
  async run(job: Job, attempt: () => Promise<Pause | undefined>): Promise<Pause | undefined> {
    this.#running = job
    if (job.call.urgency === 'interim') this.#interims.delete(job.call.key ?? '')
    const pause = await attempt()
    this.#lastAt = this.#clock.now()
    this.#pace.take()
    this.#running = undefined
    if (pause !== undefined) this.pause(pause)
    else if (this.#waiting[0] === job) this.#waiting.shift()
    return pause
  }

  pause({ retryAfterMs, isFlood }: Pause): void {
    this.#pausedUntil = Math.max(this.#pausedUntil, this.#clock.now() + retryAfterMs)
    if (isFlood) this.#pace.slowDown(retryAfterMs)
    for (const job of this.#interims.values()) drop(job)
    this.#interims.clear()
  }

  takeTyping(): boolean {
    const now = this.#clock.now()
    const mayType = !this.#isBusy && this.isQuiet && now - this.#typedAt >= QUIET_MS
    if (mayType) this.#typedAt = now
    return mayType
  }

  get #isBusy(): boolean {
    const isWaiting = this.#waiting.length + this.#interims.size > 0
    return isWaiting || this.#running !== undefined || this.#pausedUntil > this.#clock.now()
  }
}

export function drop({ call, resolve }: Job): void {
  resolve(call.dropped)
}
