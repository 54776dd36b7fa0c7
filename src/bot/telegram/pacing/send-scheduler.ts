import type { Clock } from '../../../platform/time/clock.ts'
import {
  type ChatQueue,
  createChatQueue,
  type FloodWait,
  type OrderedUrgency,
  type Pause,
  type QueuedCall,
} from './chat-queue.ts'
import { createChatPace } from './edit-and-send-pace.ts'
import { createOverallPace } from './overall-pace.ts'
import { SEND_LIMITS, type SendLimits } from './send-limits.ts'
import type { ChatCallTime } from './stored-paces.ts'

/** Beyond this many, chats that nothing happens in are forgotten. */
const QUEUES_MAX = 1000
/** Timers of Node cannot be much longer than three weeks; nothing here needs to be. */
const SLEEP_MS_MAX = 3_600_000
/** An edit is due so long after its chat's last call, in rounds of all chats that wait. */
const DUE_ROUNDS = 1.1
/** Most answers begin within this. A slower one does not hold back typing. */
const EXPECTED_MS = 2000

/** Stands for every chat: nothing at all may go. */
export const ALL_CHATS = 0

export interface SendSchedulerDeps {
  clock: Clock
  limits?: SendLimits | undefined
  instances?: (() => number) | undefined
  onFlood?: ((floodWait: FloodWait) => void) | undefined
  onCalled?: ((chatId: number) => void) | undefined
}

/**
 * Decides whose call to Telegram goes next, and when: everything that is sent goes through here.
 *
 * Answers to buttons go first, then what is new, then the last state or interim call that is due first: a
 * user who reads on shall not see a text grow old because many others end, and they shall not wait long
 * for their ends. Typing goes at once or not at all, and never instead of a first text that is expected.
 */
export function createSendScheduler(deps: SendSchedulerDeps) {
  const { clock, limits = SEND_LIMITS, instances = () => 1 } = deps
  const { onFlood = () => {}, onCalled = () => {} } = deps
  const overall = createOverallPace(clock, { ...limits.overall, instances })
  const queues = new Map<number, ChatQueue>()
  const waiting = new Map<number, number>()
  const answers: QueuedCall[] = []
  const expected = new Set<{ until: number }>()
  let answersFreeAt = Number.NEGATIVE_INFINITY
  let isRunning = false
  let sleepsUntil = Number.NEGATIVE_INFINITY
  let wake = () => {}
  return { add, remove, hold, count, expect }

  function add(call: QueuedCall): void {
    switch (call.urgency) {
      case 'answer':
        answers.push(call)
        rouse(overall.freeAt('new'))
        break
      case 'typing':
        if (mayType(call.chatId)) void startTyping(call)
        else call.onDrop()
        break
      default:
        queueOf(call.chatId).add(call)
        check(call.chatId)
    }
  }

  /** Takes a waiting call out. @returns Whether it waited: one whose attempt runs goes on. */
  function remove(call: QueuedCall): boolean {
    const index = answers.indexOf(call)
    if (index >= 0) answers.splice(index, 1)
    const hasWaited = queueOf(call.chatId).remove(call)
    // What comes after it is due by itself.
    waiting.delete(call.chatId)
    check(call.chatId)
    return hasWaited
  }

  function hold({ chatId, retryAfterMs }: FloodWait): void {
    if (chatId === ALL_CHATS) {
      overall.pause(retryAfterMs)
      return
    }
    queueOf(chatId).pause({ retryAfterMs, isFlood: true })
    check(chatId)
  }

  function count({ chatId, at }: ChatCallTime): void {
    queueOf(chatId).take(at)
  }

  function expect(): () => void {
    const text = { until: clock.now() + EXPECTED_MS }
    expected.add(text)
    return () => void expected.delete(text)
  }

  function check(chatId: number): void {
    const queue = queueOf(chatId)
    const call = queue.next()
    if (call === undefined) {
      waiting.delete(chatId)
      if (waiting.size === 0) wake()
      return
    }
    const dueAt = waiting.get(chatId) ?? Number.POSITIVE_INFINITY
    waiting.set(chatId, Math.min(dueAt, dueFrom(queue, call)))
    rouse(Math.max(queue.freeAt(call), overall.freeAt(paceOf(call))))
  }

  function dueFrom(queue: ChatQueue, call: QueuedCall): number {
    switch (paceOf(call)) {
      case 'new':
        return Number.NEGATIVE_INFINITY
      case 'final':
        return clock.now()
      case 'interim':
        return queue.growsSince() + DUE_ROUNDS * (waiting.size + 1) * overall.gapMs()
    }
  }

  function rouse(at: number): void {
    if (!isRunning) void run()
    else if (at < sleepsUntil) wake()
  }

  async function run(): Promise<void> {
    isRunning = true
    while (answers.length + waiting.size > 0) {
      const { at, go } = choose()
      if (at <= clock.now()) go()
      else await sleepUntil(Math.min(at, clock.now() + SLEEP_MS_MAX))
    }
    isRunning = false
  }

  function choose(): { at: number; go(): void } {
    const now = clock.now()
    const freeAt = {
      new: overall.freeAt('new'),
      final: overall.freeAt('final'),
      interim: overall.freeAt('interim'),
    }
    const [answer] = answers
    const answerAt = answer ? Math.max(answersFreeAt, freeAt.new) : Number.POSITIVE_INFINITY
    if (answer && answersFreeAt <= now) return { at: answerAt, go: () => startAnswer(answer) }
    let soonest = answerAt
    let chosen: { call: QueuedCall; dueAt: number } | undefined
    for (const [chatId, dueAt] of waiting) {
      const queue = queueOf(chatId)
      const call = queue.next()
      if (call === undefined) continue
      const urgency = paceOf(call)
      const pace = urgency === 'interim' && dueAt <= now ? 'final' : urgency
      const at = Math.max(queue.freeAt(call), freeAt[pace])
      soonest = Math.min(soonest, at)
      if (at <= now && dueAt < (chosen?.dueAt ?? Number.POSITIVE_INFINITY)) chosen = { call, dueAt }
    }
    const next = chosen?.call
    return { at: soonest, go: () => next && startInChat(next) }
  }

  /** A failed attempt waits again, after the chats that have waited. */
  async function startInChat(call: QueuedCall): Promise<void> {
    const { chatId } = call
    const queue = queueOf(chatId)
    waiting.delete(chatId)
    if (queue.endEarly(call)) return check(chatId)
    const isQuiet = queue.isQuiet()
    const startedAt = clock.now()
    const pause = await counted(paceOf(call), () => queue.run(call))
    onCalled(chatId)
    if (pause === undefined) overall.done()
    else if (pause.isFlood) {
      const { retryAfterMs } = pause
      const isForAll = isQuiet && overall.flooded({ chatId, startedAt, retryAfterMs })
      onFlood({ chatId: isForAll ? ALL_CHATS : chatId, retryAfterMs })
    }
    check(chatId)
  }

  async function startAnswer(call: QueuedCall): Promise<void> {
    answers.splice(answers.indexOf(call), 1)
    if (call.endEarly?.()) return
    const pause = await counted('new', call.attempt)
    if (pause === undefined) return
    answersFreeAt = Math.max(answersFreeAt, clock.now() + pause.retryAfterMs)
    add(call)
  }

  /** Typing shares a chat's flood waits, but not the order of its calls. */
  async function startTyping(call: QueuedCall): Promise<void> {
    queueOf(call.chatId).typed()
    const pause = await counted('new', call.attempt)
    if (!pause?.isFlood) return
    const floodWait = { chatId: call.chatId, retryAfterMs: pause.retryAfterMs }
    hold(floodWait)
    onFlood(floodWait)
  }

  function mayType(chatId: number): boolean {
    const now = clock.now()
    const soon = [...expected].filter(({ until }) => until > now).length
    return queueOf(chatId).mayType() && overall.mayType(soon) && choose().at > now
  }

  async function counted(
    pace: OrderedUrgency,
    attempt: () => Promise<Pause | undefined>,
  ): Promise<Pause | undefined> {
    const answered = overall.take(pace)
    const pause = await attempt()
    const before = { new: overall.freeAt('new'), final: overall.freeAt('final') }
    answered()
    const isSooner = overall.freeAt('new') < before.new || overall.freeAt('final') < before.final
    if (isSooner) wake()
    return pause
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

export type SendScheduler = ReturnType<typeof createSendScheduler>

function paceOf({ urgency }: QueuedCall): OrderedUrgency {
  return urgency === 'answer' || urgency === 'typing' ? 'new' : urgency
}
