import type { Clock } from '../../../time/clock.ts'
import type { ChatPace } from './chat-pace.ts'

/**
 * What a call is to those who see the chat: something new, the last state of what they see already,
 * or one on the way there, which gives way to every other and to a newer one of its own key.
 */
export type Urgency = 'new' | 'final' | 'interim'

/** One call to a chat. */
export interface QueuedCall {
  urgency: Urgency
  /** Nothing of what it shows is seen yet: its turn comes as if it were new. */
  isFirst?: boolean | undefined
  /** What the job shows something in; a job that is not interim drops the interim one of its key. */
  key: string
  /**
   * Makes one attempt; never rejects.
   *
   * @returns How long the chat has to rest before the next attempt; undefined when the job is done.
   */
  attempt(): Promise<Rest | undefined>
  /** Told instead of an attempt: something newer took the job's place, or the chat has to rest. */
  onDrop(): void
  /** Asked when an interim job's turn comes: ends it without an attempt. @returns Whether it did. */
  endEarly?: (() => boolean) | undefined
}

export interface Rest {
  restMs: number
  /** Whether Telegram asked for it: everything to the chat slows down for a while. */
  isFlood: boolean
}

/** The calls that wait for one chat: in order, one at a time, at a pace that the chat bears. */
export interface ChatQueue {
  add(job: QueuedCall): void
  /** Takes a waiting job out. @returns Whether it waited: one whose attempt runs goes on. */
  remove(job: QueuedCall): boolean
  /** The job whose turn is next; none while one runs. */
  next(): QueuedCall | undefined
  /** The instant from which the chat bears that job. */
  freeAt(job: QueuedCall): number
  /** Ends an interim job whose turn has come, if it needs no attempt. @returns Whether it did. */
  endEarly(job: QueuedCall): boolean
  /** Makes an attempt of the next job. */
  run(job: QueuedCall): Promise<Rest | undefined>
  /** Notes a rest that the chat needs. */
  rest(rest: Rest): void
  /** Whether anything waits or runs, or the chat has to rest. */
  isBusy(): boolean
  /** Whether the chat has been left alone for so long that a 429 cannot be about it. */
  isQuiet(): boolean
  /** Whether forgetting the lane would change nothing. */
  isForgettable(): boolean
}

const QUIET_MS = 2000

export function createChatQueue(clock: Clock, pace: ChatPace): ChatQueue {
  const queue: QueuedCall[] = []
  const interims = new Map<string, QueuedCall>()
  let underway: QueuedCall | undefined
  let restUntil = Number.NEGATIVE_INFINITY
  let lastAt = Number.NEGATIVE_INFINITY
  return {
    add,
    remove,
    next: () => (underway === undefined ? (queue[0] ?? firstOf(interims)) : undefined),
    freeAt: ({ urgency }) => Math.max(restUntil, pace.freeAt(urgency === 'interim')),
    endEarly,
    run,
    rest,
    isBusy,
    isQuiet: () => clock.now() - lastAt >= QUIET_MS,
    isForgettable: () => !isBusy() && pace.isFresh(),
  }

  function add(job: QueuedCall): void {
    const older = interims.get(job.key)
    interims.delete(job.key)
    older?.onDrop()
    if (job.urgency !== 'interim') queue.push(job)
    else if (restUntil > clock.now()) job.onDrop()
    else interims.set(job.key, job)
  }

  function remove(job: QueuedCall): boolean {
    const index = queue.indexOf(job)
    if (index >= 0) queue.splice(index, 1)
    if (interims.get(job.key) === job) interims.delete(job.key)
    return job !== underway
  }

  function endEarly(job: QueuedCall): boolean {
    const hasEnded = job.endEarly?.() === true
    if (hasEnded) interims.delete(job.key)
    return hasEnded
  }

  async function run(job: QueuedCall): Promise<Rest | undefined> {
    underway = job
    if (job.urgency === 'interim') interims.delete(job.key)
    pace.take()
    lastAt = clock.now()
    const pause = await job.attempt()
    underway = undefined
    if (pause !== undefined) rest(pause)
    else if (queue[0] === job) queue.shift()
    return pause
  }

  function rest({ restMs, isFlood }: Rest): void {
    restUntil = Math.max(restUntil, clock.now() + restMs)
    if (isFlood) pace.slowDown(restMs)
    for (const job of interims.values()) job.onDrop()
    interims.clear()
  }

  function isBusy(): boolean {
    const isWaiting = queue.length > 0 || interims.size > 0
    return isWaiting || underway !== undefined || restUntil > clock.now()
  }
}

function firstOf(interims: ReadonlyMap<string, QueuedCall>): QueuedCall | undefined {
  const [first] = interims.values()
  return first
}
