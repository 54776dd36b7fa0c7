import { GrammyError } from 'grammy'
import { expect, onTestFinished } from 'vitest'
import { Pacer } from '../../../src/bot/telegram/pacer.ts'
import { createRates, type RateKind } from '../../../src/playground/checks/rates.ts'
import type { StoredChat } from '../../../src/playground/state.ts'
import { createManualClock } from '../../platform/time/manual-clock.ts'

/** A call that a pacer let through. */
export interface Call {
  chatId: number
  at: number
  arrivedAt: number
  endedAt: number
  interim: boolean
  name: string
}

const URGENCIES = { send: 'new', final: 'final', edit: 'interim' } as const

/** A pacer in time that passes at once, with the playground's flood control as its judge. */
export function createPacerSetup({ share }: { share?: () => number } = {}) {
  const clock = createManualClock()
  const pacer = new Pacer({ clock, ...(share && { share }) })
  const rates = createRates({ profile: 'eager', clock })
  const calls: Call[] = []
  const refusals = new Map<number, number>()
  const ended = new Set<number>()
  const provoked: unknown[] = []
  onTestFinished(() => expect(provoked).toEqual([]))
  return { clock, pacer, calls, add, addTyping, keepEditing, finish, floodNext }

  /** @throws A 429 that the test asked for. A 429 that the playground would have answered with fails the test. */
  function judge(kind: RateKind, chatId: number): void {
    const retryAfterMs = refusals.get(chatId)
    refusals.delete(chatId)
    if (retryAfterMs !== undefined) throw refusalFor(retryAfterMs)
    const type = chatId < 0 ? 'group' : 'private'
    try {
      rates.admit(kind, { id: chatId, type, lastIncomingAt: -1e9 } as StoredChat)
    } catch (refusal) {
      provoked.push(refusal)
    }
  }

  async function addTyping(chatId: number): Promise<'made' | 'dropped'> {
    const attempt = async () => {
      judge('typing', chatId)
      return 'made' as const
    }
    return pacer.run({ chatId, urgency: 'typing', attempt, dropped: 'dropped' })
  }

  function floodNext(chatId: number, retryAfterMs: number): void {
    refusals.set(chatId, retryAfterMs)
  }

  /** @returns When the call has gone well or was dropped. */
  async function add({
    chatId,
    kind,
    latencyMs,
    onTheWay = 0,
    name,
  }: {
    chatId: number
    kind: 'send' | 'final' | 'edit'
    latencyMs: number
    onTheWay?: number
    name: string
  }): Promise<void> {
    const urgency = URGENCIES[kind]
    const interim = urgency === 'interim'
    // The last state of a message replaces an edit of it that waits.
    const key = kind === 'final' ? 'edit' : kind
    await pacer.run<unknown>({ chatId, urgency, key, attempt, dropped: 'dropped' })

    async function attempt(): Promise<void> {
      const unknown = Number.POSITIVE_INFINITY
      const at = clock.now()
      const call = { chatId, interim, name, at, arrivedAt: unknown, endedAt: unknown }
      calls.push(call)
      await pass(latencyMs * onTheWay)
      call.arrivedAt = clock.now()
      judge('send', chatId)
      await pass(latencyMs * (1 - onTheWay))
      call.endedAt = clock.now()
    }
  }

  async function pass(ms: number): Promise<void> {
    if (ms > 0) await clock.sleep(ms)
  }

  function keepEditing(chatId: number): void {
    const again = () => void clock.sleep(50).then(() => keepEditing(chatId))
    if (!ended.has(chatId))
      void add({ chatId, kind: 'edit', latencyMs: 30, name: 'edit' }).then(again)
  }

  function finish(chatId: number): void {
    ended.add(chatId)
    void add({ chatId, kind: 'final', latencyMs: 30, name: 'final' })
  }
}

function refusalFor(retryAfterMs: number): GrammyError {
  const parameters = { retry_after: retryAfterMs / 1000 }
  const answer = {
    ok: false,
    error_code: 429,
    description: 'Too Many Requests',
    parameters,
  } as const
  return new GrammyError('Call failed', answer, 'sendMessage', {})
}
