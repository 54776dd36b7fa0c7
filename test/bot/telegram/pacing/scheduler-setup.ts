import type { FloodWait, Pause } from '../../../../src/bot/telegram/pacing/chat-queue.ts'
import {
  createSendScheduler,
  type SendScheduler,
} from '../../../../src/bot/telegram/pacing/send-scheduler.ts'
import { createRates, type RateKind } from '../../../../src/playground/checks/rates.ts'
import type { StoredChat } from '../../../../src/playground/state.ts'
import { createManualClock, type ManualClock } from '../../../platform/time/manual-clock.ts'

/** A call that a scheduler let through. */
export interface Call {
  chatId: number
  at: number
  arrivedAt: number
  endedAt: number
  interim: boolean
  name: string
}

const URGENCIES = { send: 'new', final: 'final', edit: 'interim' } as const

/** A scheduler in time that passes at once, with the playground's flood control as its judge. */
export function createSchedulerSetup({
  instances,
  lateMs = 0,
}: {
  instances?: () => number
  lateMs?: number
} = {}) {
  const clock: ManualClock = createManualClock()
  const late = {
    ...clock,
    sleep: (ms: number, signal?: AbortSignal) => clock.sleep(ms + lateMs, signal),
  }
  const floods: FloodWait[] = []
  const onFlood = (flood: FloodWait) => void floods.push(flood)
  const scheduler: SendScheduler = createSendScheduler({ clock: late, instances, onFlood })
  const rates = createRates({ profile: 'eager', clock })
  const calls: Call[] = []
  const refusals = new Map<number, number>()
  const ended = new Set<number>()
  return { clock, scheduler, calls, floods, add, addTyping, keepEditing, finish, floodNext }

  /** @throws If the playground would have answered with a 429. */
  function judge(kind: RateKind, chatId: number): void {
    const type = chatId < 0 ? 'group' : 'private'
    rates.admit(kind, { id: chatId, type, lastIncomingAt: -1e9 } as StoredChat)
  }

  function addTyping(chatId: number): 'made' | 'dropped' {
    let outcome: 'made' | 'dropped' = 'made'
    const onDrop = () => {
      outcome = 'dropped'
    }
    scheduler.add({ chatId, urgency: 'typing', key: 'typing', attempt, onDrop })
    return outcome

    async function attempt(): Promise<Pause | undefined> {
      const retryAfterMs = refusals.get(chatId)
      refusals.delete(chatId)
      if (retryAfterMs === undefined) judge('typing', chatId)
      return retryAfterMs === undefined ? undefined : { retryAfterMs, isFlood: true }
    }
  }

  function floodNext(chatId: number, retryAfterMs: number): void {
    refusals.set(chatId, retryAfterMs)
  }

  function add({
    chatId,
    kind,
    latencyMs,
    onTheWay = 0,
    name,
    onEnd = () => {},
  }: {
    chatId: number
    kind: 'send' | 'final' | 'edit'
    latencyMs: number
    onTheWay?: number
    name: string
    onEnd?: () => void
  }): void {
    const urgency = URGENCIES[kind]
    const interim = urgency === 'interim'
    // The last state of a message replaces an edit of it that waits.
    const key = kind === 'final' ? 'edit' : kind
    scheduler.add({ chatId, urgency, key, attempt, onDrop: onEnd })

    async function attempt(): Promise<Pause | undefined> {
      const unknown = Number.POSITIVE_INFINITY
      const call = {
        chatId,
        interim,
        name,
        at: clock.now(),
        arrivedAt: unknown,
        endedAt: unknown,
      }
      calls.push(call)
      await pass(latencyMs * onTheWay)
      call.arrivedAt = clock.now()
      const retryAfterMs = refusals.get(chatId)
      refusals.delete(chatId)
      if (retryAfterMs === undefined) judge('send', chatId)
      await pass(latencyMs * (1 - onTheWay))
      call.endedAt = clock.now()
      if (retryAfterMs === undefined || interim) onEnd()
      return retryAfterMs === undefined ? undefined : { retryAfterMs, isFlood: true }
    }
  }

  async function pass(ms: number): Promise<void> {
    if (ms > 0) await clock.sleep(ms)
  }

  function keepEditing(chatId: number): void {
    const again = () => void clock.sleep(50).then(() => keepEditing(chatId))
    if (!ended.has(chatId)) add({ chatId, kind: 'edit', latencyMs: 30, name: 'edit', onEnd: again })
  }

  function finish(chatId: number): void {
    ended.add(chatId)
    add({ chatId, kind: 'final', latencyMs: 30, name: 'final' })
  }
}
