import type { Clock } from '../../../platform/time/clock.ts'
import type { ChatPace } from './edit-and-send-pace.ts'

/**
 * The meaning of a call to the users who see its chat. `answer` ends a button's wait and belongs to no chat;
 * `new` is something new, `final` the last state of what they see already; `interim` is on the way
 * there and gives way to every other call, and to a newer one of its key; `typing` goes only where
 * nothing else could.
 */
export type Urgency = 'answer' | 'new' | 'final' | 'interim' | 'typing'

/** The urgencies whose calls keep to their order within a chat. */
export type OrderedUrgency = Exclude<Urgency, 'answer' | 'typing'>

/** One call to Telegram, waiting for its turn. */
export interface QueuedCall {
  chatId: number
  urgency: Urgency
  /** The message that the call changes; a call that is not interim drops the interim one of its key. */
  key: string
  /** @returns How long to wait before the next attempt; undefined when the call is done. */
  attempt(): Promise<Pause | undefined>
  onDrop(): void
  /** Asked when the call's turn comes: ends it without an attempt. @returns Whether it did. */
  endEarly?: (() => boolean) | undefined
  state?: MessageState | undefined
}

/** A state of a message, on its way to being shown. */
export interface MessageState {
  replaces: readonly string[]
  /** Ends as the call does; rejects where the state was not shown. */
  ended: Promise<unknown>
  /** Called when a newer one takes its place, with its end. The call is added again if that was not shown. */
  onReplaced(newerEnded: Promise<unknown>): void
}

/** The wait that a failed attempt asks for. */
export interface Pause {
  retryAfterMs: number
  isFlood: boolean
}

/** How long Telegram asked us to send nothing to a chat. */
export interface FloodWait {
  chatId: number
  retryAfterMs: number
}

const QUIET_MS = 2000
/** A state that took the place of another is paced like an interim one for so long at most: somebody taps and taps. */
const REPLACING_MS_MAX = 5000

/** The calls that wait for one chat: in order, one at a time, at a pace that the chat bears. */
export function createChatQueue(clock: Clock, pace: ChatPace) {
  const waiting: QueuedCall[] = []
  const interims = new Map<string, QueuedCall>()
  const replacing = new WeakMap<QueuedCall, number>()
  let running: QueuedCall | undefined
  let pausedUntil = Number.NEGATIVE_INFINITY
  let lastAt = Number.NEGATIVE_INFINITY
  let typedAt = Number.NEGATIVE_INFINITY
  return {
    add,
    remove,
    next: () => (running === undefined ? (waiting[0] ?? firstOf(interims)) : undefined),
    freeAt: (call: QueuedCall) => Math.max(pausedUntil, paceFreeAt(call)),
    endEarly,
    run,
    pause,
    take: pace.take,
    mayType: () => !isBusy() && isQuiet() && clock.now() - typedAt >= QUIET_MS,
    typed: () => {
      typedAt = clock.now()
    },
    /** When its last call had its answer; now, if it has been left alone since then. */
    growsSince: () => (isQuiet() ? clock.now() : lastAt),
    isQuiet,
    isForgettable: () => !isBusy() && pace.isFresh(),
  }

  function add(call: QueuedCall): void {
    const older = interims.get(call.key)
    interims.delete(call.key)
    older?.onDrop()
    if (call.urgency !== 'interim') {
      replaceOlder(call)
      waiting.push(call)
    } else if (pausedUntil > clock.now()) call.onDrop()
    else interims.set(call.key, call)
  }

  /** It keeps its own place, after what came before it. */
  function replaceOlder(call: QueuedCall): void {
    const { state } = call
    if (state === undefined) return
    for (const older of waiting.filter((one) => state.replaces.includes(one.key))) {
      if (older === running || older.state === undefined) continue
      waiting.splice(waiting.indexOf(older), 1)
      const since = replacing.get(older) ?? clock.now()
      replacing.set(call, Math.min(since, replacing.get(call) ?? since))
      older.state.onReplaced(state.ended)
    }
  }

  function paceFreeAt(call: QueuedCall): number {
    if (call.urgency === 'interim') return pace.freeAt(true)
    const freeAt = pace.freeAt(false)
    const since = replacing.get(call)
    if (since === undefined) return freeAt
    return Math.max(freeAt, Math.min(pace.freeAt(true), since + REPLACING_MS_MAX))
  }

  /** Takes a waiting call out. @returns Whether it waited: one whose attempt runs goes on. */
  function remove(call: QueuedCall): boolean {
    const index = waiting.indexOf(call)
    if (index >= 0) waiting.splice(index, 1)
    if (interims.get(call.key) === call) interims.delete(call.key)
    return call !== running
  }

  function endEarly(call: QueuedCall): boolean {
    const hasEnded = call.endEarly?.() === true
    if (hasEnded) remove(call)
    return hasEnded
  }

  /** The one after it is paced from its answer: it has arrived by then. */
  async function run(call: QueuedCall): Promise<Pause | undefined> {
    running = call
    if (call.urgency === 'interim') interims.delete(call.key)
    const asked = await call.attempt()
    lastAt = clock.now()
    pace.take(lastAt)
    running = undefined
    if (asked !== undefined) pause(asked)
    else if (waiting[0] === call) waiting.shift()
    return asked
  }

  function pause({ retryAfterMs, isFlood }: Pause): void {
    pausedUntil = Math.max(pausedUntil, clock.now() + retryAfterMs)
    if (isFlood) pace.slowDown(retryAfterMs)
    for (const call of interims.values()) call.onDrop()
    interims.clear()
  }

  function isQuiet(): boolean {
    return clock.now() - lastAt >= QUIET_MS
  }

  function isBusy(): boolean {
    const isWaiting = waiting.length > 0 || interims.size > 0
    return isWaiting || running !== undefined || pausedUntil > clock.now()
  }
}

export type ChatQueue = ReturnType<typeof createChatQueue>

function firstOf(interims: ReadonlyMap<string, QueuedCall>): QueuedCall | undefined {
  const [first] = interims.values()
  return first
}
