import type { Clock } from '../../../time/clock.ts'
import { createChatPace } from './chat-pace.ts'
import { type ChatQueue, createChatQueue, type QueuedCall, type Urgency } from './chat-queue.ts'
import { createOverallPace } from './overall-pace.ts'
import { LIMITS, type Limits } from './send-limits.ts'

/** Beyond this many, chats that nothing happens in are forgotten. */
const QUEUES_MAX = 1000
/** Timers of Node cannot be much longer than three weeks; nothing here needs to be. */
const SLEEP_MS_MAX = 3_600_000
/** An edit is late when it waited so much longer than a whole round of the chats in line takes. */
const LATE_ROUNDS = 1.2
/** No chat bears edits faster than this, however short the line. */
const ROUND_MS_MIN = 1000
/** The last state of a chat where no edit waited is late so soon. */
const LATE_FINAL_MS = 1000
/** The smaller, the sooner. */
const RANKS = { new: 0, final: 3, interim: 4 }
const LATE_RANKS = { new: 0, final: 1, interim: 2 }

/** Stands for every chat: nothing at all may go. */
export const ALL_CHATS = 0

/** A rest that Telegram asked for. */
export interface FloodWait {
  chatId: number
  restMs: number
}

/** The one scheduler of everything that goes to Telegram: whose call goes next, and when. */
export interface SendScheduler {
  /** Has a job done in its turn. */
  add(chatId: number, job: QueuedCall): void
  /** Takes a waiting job out. @returns Whether it waited: one whose attempt runs goes on. */
  remove(chatId: number, job: QueuedCall): boolean
  /**
   * Waits for a turn that belongs to no chat and goes before all others.
   *
   * @returns To be called when the answer to the call is there.
   */
  turn(): Promise<() => void>
  /**
   * Takes a turn for something small in a quiet chat, if nothing else could use it.
   *
   * @returns To be called when the answer to the call is there; undefined where there is no room.
   */
  tryTurn(chatId: number): (() => void) | undefined
  /** Notes a 429 to a call that took such a turn. */
  flooded(chatId: number, restMs: number): void
  /** Keeps a rest that another process was asked for. */
  rest(rest: FloodWait): void
}

export interface SendSchedulerDeps {
  clock: Clock
  limits?: Limits | undefined
  /** How many processes share the bot's token; asked whenever it matters. */
  instances?: (() => number) | undefined
  /** Told of every rest that a 429 asks for. */
  onFlood?: ((rest: FloodWait) => void) | undefined
}

/**
 * What is new goes first, then last states, then the interim job that waits longest. One that is late
 * goes before last states, unless they are late themselves: those who read on shall not see a text
 * grow old because many others end.
 */
export function createSendScheduler(deps: SendSchedulerDeps): SendScheduler {
  const { clock, limits = LIMITS, instances = () => 1, onFlood = () => {} } = deps
  const overall = createOverallPace(clock, { ...limits.overall, instances })
  const queues = new Map<number, ChatQueue>()
  /** Chats with a job whose turn may come, and when it is late, in the order in which they lined up. */
  const waiting = new Map<number, number>()
  const turns: ((answered: () => void) => void)[] = []
  let isRunning = false
  let sleepsUntil = Number.NEGATIVE_INFINITY
  let wake = () => {}
  return { add, remove, turn, tryTurn, flooded, rest }

  function add(chatId: number, job: QueuedCall): void {
    queueOf(chatId).add(job)
    check(chatId)
  }

  function remove(chatId: number, job: QueuedCall): boolean {
    const hasWaited = queueOf(chatId).remove(job)
    check(chatId)
    return hasWaited
  }

  function turn(): Promise<() => void> {
    const { promise, resolve } = Promise.withResolvers<() => void>()
    turns.push(resolve)
    rouse(overall.freeAt('new'))
    return promise
  }

  function tryTurn(chatId: number): (() => void) | undefined {
    const queue = queueOf(chatId)
    const isRoom = overall.isHalfFree() && choose().at > clock.now()
    return isRoom && !queue.isBusy() && queue.isQuiet() ? take('new') : undefined
  }

  function flooded(chatId: number, restMs: number): void {
    rest({ chatId, restMs })
    onFlood({ chatId, restMs })
  }

  function rest({ chatId, restMs }: FloodWait): void {
    if (chatId === ALL_CHATS) {
      overall.rest(restMs)
      return
    }
    queueOf(chatId).rest({ restMs, isFlood: true })
    check(chatId)
  }

  /** Lines the chat up if something waits for it, or takes it out. */
  function check(chatId: number): void {
    const queue = queueOf(chatId)
    const job = queue.next()
    if (job === undefined) {
      waiting.delete(chatId)
      if (waiting.size === 0) wake()
      return
    }
    if (!waiting.has(chatId)) waiting.set(chatId, lateFrom(job))
    rouse(Math.max(queue.freeAt(job), overall.freeAt(urgencyOf(job))))
  }

  function lateFrom({ urgency }: QueuedCall): number {
    if (urgency !== 'interim') return clock.now() + LATE_FINAL_MS
    const roundMs = Math.max((waiting.size + 1) * overall.gapMs(), ROUND_MS_MIN)
    return clock.now() + LATE_ROUNDS * roundMs
  }

  /** @param at When something may go that was just lined up. */
  function rouse(at: number): void {
    if (!isRunning) void run()
    else if (at < sleepsUntil) wake()
  }

  async function run(): Promise<void> {
    isRunning = true
    while (turns.length + waiting.size > 0) {
      const { at, go } = choose()
      if (at <= clock.now()) go()
      else await sleepUntil(Math.min(at, clock.now() + SLEEP_MS_MAX))
    }
    isRunning = false
  }

  /** What goes next, and the first instant at which anything may. */
  function choose(): { at: number; go(): void } {
    const now = clock.now()
    if (turns.length > 0) return { at: overall.freeAt('new'), go: giveTurn }
    const freeAt = {
      new: overall.freeAt('new'),
      final: overall.freeAt('final'),
      interim: overall.freeAt('interim'),
    }
    let soonest = Number.POSITIVE_INFINITY
    let chosen: { chatId: number; job: QueuedCall; rank: number } | undefined
    for (const [chatId, lateAt] of waiting) {
      const queue = queueOf(chatId)
      const job = queue.next()
      if (job === undefined) continue
      const urgency = urgencyOf(job)
      const isLate = lateAt <= now
      const pace = isLate && urgency === 'interim' ? 'final' : urgency
      const at = Math.max(queue.freeAt(job), freeAt[pace])
      soonest = Math.min(soonest, at)
      const rank = isLate ? LATE_RANKS[urgency] : RANKS[urgency]
      if (at <= now && rank < (chosen?.rank ?? Number.POSITIVE_INFINITY)) {
        chosen = { chatId, job, rank }
      }
    }
    const next = chosen
    return { at: soonest, go: () => next && start(next.chatId, next.job) }
  }

  function giveTurn(): void {
    turns.shift()?.(take('new'))
  }

  /** @returns To be called when the answer is there, which may make room for another call. */
  function take(urgency: Urgency): () => void {
    const answered = overall.take(urgency)
    return () => {
      const before = { new: overall.freeAt('new'), final: overall.freeAt('final') }
      answered()
      const isSooner = overall.freeAt('new') < before.new || overall.freeAt('final') < before.final
      if (isSooner) wake()
    }
  }

  /** A failed attempt lines up anew, behind those who have waited. */
  async function start(chatId: number, job: QueuedCall): Promise<void> {
    const queue = queueOf(chatId)
    waiting.delete(chatId)
    if (queue.endEarly(job)) return check(chatId)
    const isQuiet = queue.isQuiet()
    const startedAt = clock.now()
    const answered = take(urgencyOf(job))
    const pause = await queue.run(job)
    answered()
    if (pause === undefined) overall.done()
    else if (pause.isFlood) {
      const { restMs } = pause
      const isForAll = isQuiet && overall.flooded({ chatId, startedAt, restMs })
      onFlood({ chatId: isForAll ? ALL_CHATS : chatId, restMs })
    }
    check(chatId)
  }

  function queueOf(chatId: number): ChatQueue {
    const known = queues.get(chatId)
    if (known !== undefined) return known
    if (queues.size >= QUEUES_MAX) {
      for (const [id, queue] of queues) if (queue.isForgettable()) queues.delete(id)
    }
    const queue = createChatQueue(clock, createChatPace(clock, limits, chatId))
    queues.set(chatId, queue)
    return queue
  }

  async function sleepUntil(at: number): Promise<void> {
    const woken = new AbortController()
    sleepsUntil = at
    wake = () => woken.abort()
    // The sleep ends early with an abort when there is something else to do.
    await clock.sleep(at - clock.now(), woken.signal).catch(() => {})
    sleepsUntil = Number.NEGATIVE_INFINITY
    wake = () => {}
  }
}

function urgencyOf({ urgency, isFirst }: QueuedCall): Urgency {
  return isFirst ? 'new' : urgency
}
