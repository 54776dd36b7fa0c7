import type { Clock } from './clock.ts'

/** Telegram allows about one message or edit a second in a private chat, and short bursts. */
const GAP_MS = 1000
const BURST = 3
/** After a 429 a chat is treated with care for a minute: going back to the old pace makes it worse. */
const CAREFUL_GAP_MS = 3000
const CAREFUL_MS = 60_000

/** One call to a chat. */
export interface LaneJob {
  /** An interim job gives way to every other, and to a newer one of its own key. */
  interim: boolean
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
}

export interface Rest {
  restMs: number
  /** Whether Telegram asked for it: everything to the chat slows down for a while. */
  isFlood: boolean
}

export interface Lane {
  /** Has the job done in its turn. */
  add(job: LaneJob): void
  /** Takes a waiting job out. @returns Whether it waited: one whose attempt runs goes on. */
  remove(job: LaneJob): boolean
  /** Whether anything waits or runs, or the chat has to rest. */
  isBusy(): boolean
  /** Notes a rest that a call outside the lane was told of. */
  rest(rest: Rest): void
  /** Whether forgetting the lane would change nothing. */
  isForgettable(): boolean
}

/** The calls to one chat: in order, one at a time, at a pace that Telegram bears. */
export function createLane(clock: Clock): Lane {
  const queue: LaneJob[] = []
  const interims = new Map<string, LaneJob>()
  let isRunning = false
  let underway: LaneJob | undefined
  let restUntil = 0
  let carefulUntil = 0
  /** When the burst would be there again in full. */
  let fullAt = 0
  let wake = () => {}
  return { add, remove, isBusy, rest, isForgettable }

  function add(job: LaneJob): void {
    const older = interims.get(job.key)
    interims.delete(job.key)
    older?.onDrop()
    if (!job.interim) queue.push(job)
    else if (restUntil > clock.now()) job.onDrop()
    else interims.set(job.key, job)
    wake()
    if (!isRunning) void run()
  }

  function remove(job: LaneJob): boolean {
    const index = queue.indexOf(job)
    if (index >= 0) queue.splice(index, 1)
    if (interims.get(job.key) === job) interims.delete(job.key)
    wake()
    return job !== underway
  }

  function isBusy(): boolean {
    return isRunning || restUntil > clock.now()
  }

  function isForgettable(): boolean {
    return !isBusy() && Math.max(fullAt, carefulUntil) <= clock.now()
  }

  function rest({ restMs, isFlood }: Rest): void {
    const now = clock.now()
    restUntil = Math.max(restUntil, now + restMs)
    if (isFlood) carefulUntil = Math.max(carefulUntil, restUntil + CAREFUL_MS)
    for (const job of interims.values()) job.onDrop()
    interims.clear()
  }

  async function run(): Promise<void> {
    isRunning = true
    for (;;) {
      const job = next()
      if (job === undefined) break
      const waitMs = waitFor(job)
      if (waitMs > 0) {
        await sleepUntilWoken(waitMs)
        continue
      }
      if (job.interim) interims.delete(job.key)
      fullAt = Math.max(fullAt, clock.now()) + gapMs()
      underway = job
      const pause = await job.attempt()
      underway = undefined
      if (pause !== undefined) rest(pause)
      else if (queue[0] === job) queue.shift()
    }
    isRunning = false
  }

  function next(): LaneJob | undefined {
    const [interim] = interims.values()
    return queue[0] ?? interim
  }

  /** What must arrive may use the burst; an interim job waits for the whole of it. */
  function waitFor(job: LaneJob): number {
    const now = clock.now()
    const burst = job.interim || carefulUntil > now ? 1 : BURST
    return Math.max(restUntil, fullAt - (burst - 1) * gapMs()) - now
  }

  function gapMs(): number {
    return carefulUntil > clock.now() ? CAREFUL_GAP_MS : GAP_MS
  }

  async function sleepUntilWoken(delayMs: number): Promise<void> {
    const woken = new AbortController()
    wake = () => woken.abort()
    // The sleep ends early with an abort when there is something else to do.
    await clock.sleep(delayMs, woken.signal).catch(() => {})
    wake = () => {}
  }
}
