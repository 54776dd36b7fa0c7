import { createChatPace } from './chat-pace.ts'
import type { Clock } from './clock.ts'
import { createLane, type Lane, type LaneJob } from './lane.ts'
import { LIMITS, type Limits } from './limits.ts'
import { createOverallPace } from './overall-pace.ts'

/** Beyond this many, chats that nothing happens in are forgotten. */
const LANES_MAX = 1000
/** Timers of Node cannot be much longer than three weeks; nothing here needs to be. */
const SLEEP_MS_MAX = 3_600_000

/** Stands for every chat: nothing at all may go. */
export const ALL_CHATS = 0

/** A rest that Telegram asked for. */
export interface ChatRest {
  chatId: number
  restMs: number
}

/** The one budget of everything that goes to Telegram: whose call goes next, and when. */
export interface Budget {
  /** Has a job done in its turn. */
  add(chatId: number, job: LaneJob): void
  /** Takes a waiting job out. @returns Whether it waited: one whose attempt runs goes on. */
  remove(chatId: number, job: LaneJob): boolean
  /** Waits for a turn that belongs to no chat and goes before all others. */
  turn(): Promise<void>
  /** Takes a turn for something small in a quiet chat, if nothing else could use it. */
  tryTurn(chatId: number): boolean
  /** Notes a 429 to a call that took such a turn. */
  flooded(chatId: number, restMs: number): void
  /** Keeps a rest that another process was asked for. */
  rest(rest: ChatRest): void
}

export interface BudgetDeps {
  clock: Clock
  limits?: Limits | undefined
  /** How many processes share the bot's token; asked whenever it matters. */
  instances?: (() => number) | undefined
  /** Told of every rest that a 429 asks for. */
  onFlood?: ((rest: ChatRest) => void) | undefined
}

/**
 * What must arrive goes first, the chat that waits longest before the others. Then the interim job
 * of the chat that shows the stalest text.
 */
export function createBudget(deps: BudgetDeps): Budget {
  const { clock, limits = LIMITS, instances = () => 1, onFlood = () => {} } = deps
  const overall = createOverallPace(clock, { ...limits.overall, instances })
  const lanes = new Map<number, Lane>()
  /** Chats with a job whose turn may come, in the order in which they began to wait. */
  const waiting = new Set<number>()
  const turns: (() => void)[] = []
  let isRunning = false
  let wake = () => {}
  return { add, remove, turn, tryTurn, flooded, rest }

  function add(chatId: number, job: LaneJob): void {
    laneOf(chatId).add(job)
    check(chatId)
  }

  function remove(chatId: number, job: LaneJob): boolean {
    const hasWaited = laneOf(chatId).remove(job)
    check(chatId)
    return hasWaited
  }

  function turn(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    turns.push(resolve)
    rouse()
    return promise
  }

  function tryTurn(chatId: number): boolean {
    const lane = laneOf(chatId)
    const now = clock.now()
    const isRoom = overall.freeAt(true) <= now && choose().at > now
    if (!isRoom || lane.isBusy() || !lane.isQuiet()) return false
    overall.take(false)
    return true
  }

  function flooded(chatId: number, restMs: number): void {
    rest({ chatId, restMs })
    onFlood({ chatId, restMs })
  }

  function rest({ chatId, restMs }: ChatRest): void {
    if (chatId === ALL_CHATS) {
      overall.rest(restMs)
      return
    }
    laneOf(chatId).rest({ restMs, isFlood: true })
    check(chatId)
  }

  /** Lines the chat up if something waits for it, or takes it out. */
  function check(chatId: number): void {
    const lane = laneOf(chatId)
    lane.sweep()
    if (lane.next() === undefined) waiting.delete(chatId)
    else waiting.add(chatId)
    rouse()
  }

  function rouse(): void {
    wake()
    if (!isRunning) void run()
  }

  async function run(): Promise<void> {
    isRunning = true
    while (turns.length + waiting.size > 0) {
      const { at, go } = choose()
      const waitMs = at - clock.now()
      if (waitMs > 0) {
        await sleepUntilWoken(Math.min(waitMs, SLEEP_MS_MAX))
        continue
      }
      go()
    }
    isRunning = false
  }

  /** What goes next, and the first instant at which anything may. */
  function choose(): { at: number; go(): void } {
    const now = clock.now()
    if (turns.length > 0) return { at: overall.freeAt(false), go: giveTurn }
    const free = { final: overall.freeAt(false), interim: overall.freeAt(true) }
    let soonest = Number.POSITIVE_INFINITY
    let stalest: { chatId: number; job: LaneJob; since: number } | undefined
    for (const chatId of waiting) {
      const lane = laneOf(chatId)
      const job = lane.next()
      if (job === undefined) continue
      const at = Math.max(lane.freeAt(job), job.interim ? free.interim : free.final)
      soonest = Math.min(soonest, at)
      if (at > now) continue
      if (!job.interim) return { at, go: () => start(chatId, job) }
      const since = lane.staleSince(job)
      if (stalest === undefined || since < stalest.since) stalest = { chatId, job, since }
    }
    const chosen = stalest
    return { at: soonest, go: () => chosen && start(chosen.chatId, chosen.job) }
  }

  function giveTurn(): void {
    overall.take(false)
    turns.shift()?.()
  }

  /** A failed attempt lines up anew, behind those who have waited. */
  async function start(chatId: number, job: LaneJob): Promise<void> {
    const lane = laneOf(chatId)
    const isQuiet = lane.isQuiet()
    const startedAt = clock.now()
    overall.take(job.interim)
    waiting.delete(chatId)
    const pause = await lane.run(job)
    if (pause === undefined) overall.done()
    else if (pause.isFlood) {
      const { restMs } = pause
      const isForAll = isQuiet && overall.flooded({ chatId, startedAt, restMs })
      onFlood({ chatId: isForAll ? ALL_CHATS : chatId, restMs })
    }
    check(chatId)
  }

  function laneOf(chatId: number): Lane {
    const known = lanes.get(chatId)
    if (known !== undefined) return known
    if (lanes.size >= LANES_MAX) {
      for (const [id, lane] of lanes) if (lane.isForgettable()) lanes.delete(id)
    }
    const lane = createLane(clock, createChatPace(clock, limits, chatId))
    lanes.set(chatId, lane)
    return lane
  }

  async function sleepUntilWoken(delayMs: number): Promise<void> {
    const woken = new AbortController()
    wake = () => woken.abort()
    // The sleep ends early with an abort when there is something else to do.
    await clock.sleep(delayMs, woken.signal).catch(() => {})
    wake = () => {}
  }
}
