import type { IncomingHttpHeaders } from 'node:http'
import type { Update } from 'grammy/types'
import type { Agent } from 'undici'
import { backoffMs } from '../../platform/time/backoff.ts'
import type { Clock } from '../../platform/time/clock.ts'
import type { Changes } from './changes.ts'
import type { UpdateQueue, WaitingUpdate } from './update-queue.ts'
import { openConnections } from './webhook-connections.ts'
import { postUpdate, readReply, type WebhookReply } from './webhook-post.ts'
import type { WebhookSettings } from './webhook-settings.ts'

const DELIVERIES_MAX = 10_000
const RETRY_AFTER_S_MAX = 3_600
const PAUSE_CAP_MS = 60_000
/** A server that says so for that long is gone for good. */
const GONE_MS = 23 * 3_600_000
/** Between two calls that set one. */
const SET_PAUSE_MS = 1_000

/** One attempt to bring an update to the webhook. */
export interface WebhookDelivery {
  /** Milliseconds by the playground's clock. */
  at: number
  /** Unix time in seconds. */
  date: number
  updateId: number
  /** HTTP status; 0 if there was none. */
  status: number
  /** Why it failed, as `getWebhookInfo` says it. */
  error?: string
}

/** The delivery of those updates that are brought in order. */
interface OrderedDelivery {
  /** Failed attempts of the first update. */
  failures: number
  /** The instant from which that update may be sent; Infinity while it is on its way. */
  readyAt: number
}

/** The webhook that updates are sent to at the moment. */
interface Target {
  settings: WebhookSettings
  ordered: Map<string, OrderedDelivery>
  agent: Agent
  connections: number
  lastFailure: WebhookDelivery | undefined
  goneSince: number | undefined
  removed: AbortController
}

/** Brings updates to the bot's own server: those of one key one by one, of several keys at a time. */
export function createWebhook(deps: {
  queue: UpdateQueue
  changes: Changes
  clock: Clock
  closing: AbortSignal
}) {
  const { queue, changes, clock, closing } = deps
  const deliveries: WebhookDelivery[] = []
  let target: Target | undefined
  let askedAt = Number.NEGATIVE_INFINITY
  let runReply: WebhookReply = async () => {}
  queue.listen(pump)
  return {
    set,
    remove,
    deliveries,
    settings: () => target?.settings,
    admit,
    /** The last failure of the present webhook. */
    lastFailure: () => target?.lastFailure,
    /** Sets who carries out a method that is named in an answer. */
    onReply: (run: WebhookReply) => {
      runReply = run
    },
  }

  /** Checks whether a webhook may be set now: once a second, counting the calls that are refused for another reason. */
  function admit(): boolean {
    const isSoon = clock.now() - askedAt < SET_PAUSE_MS
    if (!isSoon) askedAt = clock.now()
    return !isSoon
  }

  function set(settings: WebhookSettings): void {
    remove()
    target = {
      settings,
      ordered: new Map(),
      agent: openConnections(settings),
      connections: 0,
      lastFailure: undefined,
      goneSince: undefined,
      removed: new AbortController(),
    }
    pump()
  }

  /** Updates on their way stay in the queue. */
  function remove(): void {
    target?.removed.abort(new Error('The webhook was removed'))
    void target?.agent.close()
    target = undefined
  }

  /** Starts every delivery that may start now. */
  function pump(): void {
    if (target === undefined || closing.aborted) return
    const byKey = Map.groupBy(queue.waiting(), ({ update }) => deliveryKeyOf(update))
    for (const [key, [first]] of byKey) {
      if (target.connections >= target.settings.maxConnections) return
      const row = target.ordered.get(key) ?? { failures: 0, readyAt: 0 }
      target.ordered.set(key, row)
      if (first && row.readyAt <= clock.now()) void deliver(first, row, target)
    }
  }

  async function deliver(waiting: WaitingUpdate, row: OrderedDelivery, to: Target): Promise<void> {
    const { update_id: updateId } = waiting.update
    const at = clock.now()
    row.readyAt = Number.POSITIVE_INFINITY
    to.connections++
    const signal = AbortSignal.any([to.removed.signal, closing])
    const posting = { clock, signal, connections: to.agent }
    const answer = await postUpdate(waiting.update, to.settings, posting)
    to.connections--
    if (signal.aborted) return
    const { status, error } = answer
    const isTaken = status >= 200 && status <= 299
    const date = Math.floor(clock.date().getTime() / 1000)
    const delivery = { at, date, updateId, status, ...(!isTaken && { error }) }
    if (!isTaken) to.lastFailure = delivery
    deliveries.push(delivery)
    if (deliveries.length > DELIVERIES_MAX) deliveries.shift()
    const now = clock.now()
    to.goneSince = status === 410 ? (to.goneSince ?? now) : undefined
    if (to.goneSince !== undefined && now - to.goneSince >= GONE_MS) remove()
    row.failures++
    row.readyAt = now + (isTaken ? 0 : pauseOf(row.failures, answer.headers))
    if (isTaken || row.readyAt > waiting.expiresAt) {
      queue.remove(updateId)
      Object.assign(row, { failures: 0, readyAt: now })
    }
    if (isTaken) void readReply(answer, runReply)
    // Aborted when the webhook goes: then nothing is left to retry.
    if (row.readyAt > now) clock.sleep(row.readyAt - now, signal).then(retry, () => {})
    changes.emit({ kind: 'delivery' })
    pump()

    /** A timer may end a moment before its time, and no other one comes. */
    function retry(): void {
      row.readyAt = clock.now()
      pump()
    }
  }
}

export type Webhook = ReturnType<typeof createWebhook>

/** The pause is 0 after the first failure, then 2 s, 4 s, 8 s and so on up to a cap of one to two minutes. */
function pauseOf(failures: number, headers: IncomingHttpHeaders): number {
  const retryAfterS = Number(headers['retry-after'])
  if (retryAfterS > 0) return Math.min(retryAfterS, RETRY_AFTER_S_MAX) * 1000
  if (failures === 1) return 0
  return backoffMs({ firstMs: 1000, maxMs: PAUSE_CAP_MS * (1 + Math.random()) }, failures)
}

/**
 * The key that orders a webhook's updates: one waits for earlier ones with the same key.
 *
 * As in Telegram's server the messages of a chat have one key and each person's presses another, so that a press
 * does not wait for the answer to a message. A stopped draft has a key of its own, since it is there to interrupt;
 * no source describes what Telegram does.
 */
function deliveryKeyOf(update: Update): string {
  const message =
    update.message ?? update.edited_message ?? update.channel_post ?? update.edited_channel_post
  if (message) return `chat ${message.chat.id}`
  const { callback_query: press, message_reaction: reaction } = update
  if (press) return `press ${press.from.id}`
  if (update.my_chat_member) return `member ${update.my_chat_member.chat.id}`
  if (reaction) return `reaction ${reaction.user?.id ?? reaction.actor_chat?.id}`
  const stopped = update.stopped_message_generation
  return stopped ? `stop ${stopped.chat.id}` : 'others'
}
