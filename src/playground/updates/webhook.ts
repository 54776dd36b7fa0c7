import type { Update } from 'grammy/types'
import { backoffMs } from '../../time/backoff.ts'
import type { Clock } from '../wire/clock.ts'
import type { Changes } from './changes.ts'
import type { UpdateQueue, WaitingUpdate } from './update-queue.ts'
import { postUpdate, readReply, type WebhookReply, type WebhookSettings } from './webhook-post.ts'

const DELIVERIES_MAX = 10_000
const RETRY_AFTER_S_MAX = 3_600
const PAUSE_CAP_MS = 60_000
/** A server that says so for that long is gone for good. */
const GONE_MS = 23 * 3_600_000

/** One attempt to bring an update to the webhook. */
export interface Delivery {
  at: number
  updateId: number
  /** HTTP status; 0 if there was none. */
  status: number
  /** Why it failed, as `getWebhookInfo` says it. */
  error?: string
}

/** The updates of one chat, which are brought in order. */
interface Lane {
  isBusy: boolean
  /** Of the update in front. */
  failures: number
  retryAt: number
}

/** Where the updates are brought to at the moment. */
interface Target {
  settings: WebhookSettings
  lanes: Map<string, Lane>
  connections: number
  goneSince: number | undefined
  ended: AbortController
}

/** Brings updates to the bot's own server, those of one chat one by one, several chats at a time. */
export function createWebhook(deps: {
  queue: UpdateQueue
  changes: Changes
  clock: Clock
  closing: AbortSignal
}) {
  const { queue, changes, clock, closing } = deps
  const deliveries: Delivery[] = []
  let target: Target | undefined
  let changedAt = Number.NEGATIVE_INFINITY
  let runReply: WebhookReply = async () => {}
  queue.listen(pump)
  return {
    set,
    remove,
    deliveries,
    settings: () => target?.settings,
    /** When one was last set. */
    changedAt: () => changedAt,
    lastFailure: () => deliveries.findLast(({ error }) => error !== undefined),
    /** Sets who carries out a method that is named in an answer. */
    onReply: (run: WebhookReply) => {
      runReply = run
    },
  }

  function set(settings: WebhookSettings): void {
    remove()
    changedAt = clock.now()
    target = {
      settings,
      lanes: new Map(),
      connections: 0,
      goneSince: undefined,
      ended: new AbortController(),
    }
    pump()
  }

  /** Updates on their way stay in the queue. */
  function remove(): void {
    target?.ended.abort(new Error('The webhook was removed'))
    target = undefined
  }

  /** Starts every delivery that may start now. */
  function pump(): void {
    if (target === undefined || closing.aborted) return
    const seen = new Set<string>()
    for (const waiting of queue.waiting()) {
      if (target.connections >= target.settings.maxConnections) return
      const name = laneOf(waiting.update)
      if (seen.has(name)) continue
      seen.add(name)
      const lane = target.lanes.get(name) ?? { isBusy: false, failures: 0, retryAt: 0 }
      target.lanes.set(name, lane)
      if (!lane.isBusy && lane.retryAt <= clock.now()) void deliver(waiting, lane, target)
    }
  }

  async function deliver(waiting: WaitingUpdate, lane: Lane, to: Target): Promise<void> {
    const { update } = waiting
    const at = clock.now()
    lane.isBusy = true
    to.connections++
    const signal = AbortSignal.any([to.ended.signal, closing])
    const answer = await postUpdate(update, to.settings, { clock, signal })
    lane.isBusy = false
    to.connections--
    if (signal.aborted) return
    const isTaken = answer.status >= 200 && answer.status <= 299
    const { status, error } = answer
    deliveries.push({ at, updateId: update.update_id, status, ...(!isTaken && { error }) })
    if (deliveries.length > DELIVERIES_MAX) deliveries.shift()
    if (isTaken) {
      finish(waiting, lane)
      void readReply(answer, runReply)
    } else postpone(waiting, lane, to, answer)
    changes.emit({ kind: 'delivery', updateId: update.update_id })
    pump()
  }

  function finish({ update }: WaitingUpdate, lane: Lane): void {
    queue.remove(update.update_id)
    lane.failures = 0
    lane.retryAt = 0
  }

  function postpone(
    waiting: WaitingUpdate,
    lane: Lane,
    to: Target,
    answer: { status: number; retryAfter: number },
  ): void {
    to.goneSince = answer.status === 410 ? (to.goneSince ?? clock.now()) : undefined
    if (to.goneSince !== undefined && clock.now() - to.goneSince >= GONE_MS) {
      remove()
      return
    }
    lane.failures++
    const pauseMs = pauseOf(lane.failures, answer.retryAfter)
    lane.retryAt = clock.now() + pauseMs
    if (lane.retryAt > waiting.expiresAt) {
      finish(waiting, lane)
      return
    }
    if (pauseMs === 0) return
    // Aborted when the webhook goes: then nothing is left to retry.
    clock.sleep(pauseMs, AbortSignal.any([to.ended.signal, closing])).then(pump, () => {})
  }
}

export type Webhook = ReturnType<typeof createWebhook>

/** At once after the first failure, then 2 s, 4 s, 8 s and so on up to a cap of one to two minutes. */
function pauseOf(failures: number, retryAfterS: number): number {
  if (retryAfterS > 0 && retryAfterS <= RETRY_AFTER_S_MAX) return retryAfterS * 1000
  if (failures === 1) return 0
  return backoffMs({ firstMs: 1000, maxMs: PAUSE_CAP_MS * (1 + Math.random()) }, failures)
}

/** What decides the order: an update of a chat waits for the ones before it in that chat. */
function laneOf(update: Update): string {
  const chat =
    update.message?.chat ??
    update.edited_message?.chat ??
    update.channel_post?.chat ??
    update.edited_channel_post?.chat ??
    update.callback_query?.message?.chat ??
    update.my_chat_member?.chat ??
    update.stopped_message_generation?.chat
  return String(chat?.id ?? update.callback_query?.from.id ?? 'others')
}
