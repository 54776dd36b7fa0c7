import type { Update } from 'grammy/types'
import ipaddr from 'ipaddr.js'
import { request } from 'undici'
import type { Clock } from '../../platform/time/clock.ts'
import { backoffMs } from '../../platform/time/retry.ts'
import type { State, WaitingUpdate, WebhookSettings } from '../state.ts'
import { badRequest } from '../wire/envelope.ts'
import type { UpdateQueue } from './update-queue.ts'

const TIMEOUT_MS = 60_000
const PAUSE_CAP_MS = 60_000
const PORTS = ['', '80', '88', '443', '8443']
const SECRET_CHARS_MAX = 256

interface OrderedDelivery {
  failures: number
  readyAt: number
}

interface Target {
  settings: WebhookSettings
  ordered: Map<string, OrderedDelivery>
  connections: number
  removed: AbortController
}

/** Posts updates to the bot's own server: those of one chat in order, those of several chats at once. */
export function createWebhook(deps: {
  state: State
  queue: UpdateQueue
  clock: Clock
  closing: AbortSignal
}) {
  const { state, queue, clock, closing } = deps
  let target: Target | undefined
  queue.listen(pump)
  return { set, remove, isSet: () => target !== undefined }

  function set(settings: WebhookSettings): void {
    remove()
    state.webhook = settings
    target = { settings, ordered: new Map(), connections: 0, removed: new AbortController() }
    pump()
  }

  function remove(): void {
    target?.removed.abort(new Error('The webhook was removed'))
    target = undefined
    state.webhook = undefined
  }

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
    row.readyAt = Number.POSITIVE_INFINITY
    to.connections++
    const signal = AbortSignal.any([to.removed.signal, closing])
    const isTaken = await postUpdate(waiting.update, to.settings, signal)
    to.connections--
    if (signal.aborted) return
    const now = clock.now()
    row.failures = isTaken ? 0 : row.failures + 1
    const pauseMs =
      row.failures > 1 ? backoffMs({ firstMs: 1000, maxMs: PAUSE_CAP_MS }, row.failures) : 0
    row.readyAt = now + pauseMs
    if (isTaken) queue.remove(waiting.update.update_id)
    // Aborted when the webhook goes: then nothing is left to retry.
    if (pauseMs > 0) clock.sleep(pauseMs, signal).then(retry, () => {})
    pump()

    /** A timer may end a moment before its time, and no other one comes. */
    function retry(): void {
      row.readyAt = clock.now()
      pump()
    }
  }
}

export type Webhook = ReturnType<typeof createWebhook>

async function postUpdate(
  update: Update,
  { url, secretToken }: WebhookSettings,
  signal: AbortSignal,
): Promise<boolean> {
  try {
    const { statusCode, body } = await request(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(secretToken !== '' && { 'x-telegram-bot-api-secret-token': secretToken }),
      },
      body: JSON.stringify(update),
      signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
    })
    await body.dump()
    return statusCode >= 200 && statusCode <= 299
  } catch {
    // A server that is down or slow gets the update again.
    return false
  }
}

/**
 * Checks a new webhook.
 *
 * @param reach `local` goes anywhere, as a Bot API server of one's own does.
 * @throws {ApiError} 400.
 */
export function checkWebhook(
  { url: text, secretToken }: WebhookSettings,
  reach: 'local' | 'cloud',
): void {
  const url = URL.parse(text)
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw badRequest('invalid webhook URL specified')
  }
  if (secretToken.length > SECRET_CHARS_MAX) throw badRequest('secret token is too long')
  if (!/^[A-Za-z0-9_-]*$/.test(secretToken)) {
    throw badRequest('secret token contains unallowed characters')
  }
  if (reach === 'local') return
  const bad = (why: string) => badRequest(`bad webhook: ${why}`)
  if (url.protocol !== 'https:') throw bad('An HTTPS URL must be provided for webhook')
  if (!PORTS.includes(url.port)) {
    throw bad('Webhook can be set up only on ports 80, 88, 443 or 8443')
  }
  const address = url.hostname === 'localhost' ? '127.0.0.1' : url.hostname
  if (ipaddr.isValid(address) && ipaddr.parse(address).range() !== 'unicast') {
    throw bad(`IP address ${address} is reserved`)
  }
}

/** As in Telegram's server the messages of a chat have one key and each person's presses another. */
function deliveryKeyOf(update: Update): string {
  const message = update.message ?? update.edited_message
  if (message) return `chat ${message.chat.id}`
  const { callback_query: press, my_chat_member: member } = update
  if (press) return `press ${press.from.id}`
  return member ? `member ${member.chat.id}` : 'others'
}
