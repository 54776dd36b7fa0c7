import { STATUS_CODES } from 'node:http'
import type { Update } from 'grammy/types'
import type { Clock } from './clock.ts'
import type { WebhookSettings } from './webhook.ts'

const TIMEOUT_MS = 60_000

/** What the bot's server said, or why it said nothing. */
export interface WebhookAnswer {
  /** 0 without an answer. */
  status: number
  error: string
  /** Seconds; 0 if it did not say. */
  retryAfter: number
  contentType: string
  body: Buffer
}

/** Posts one update. Never rejects: a connection that fails is an answer too. */
export async function postUpdate(
  update: Update,
  { url, secretToken }: WebhookSettings,
  { clock, signal }: { clock: Clock; signal: AbortSignal },
): Promise<WebhookAnswer> {
  const ended = new AbortController()
  const late = new AbortController()
  clock.sleep(TIMEOUT_MS, AbortSignal.any([ended.signal, signal])).then(
    () => late.abort(),
    () => {}, // The server was quicker, or the webhook was removed.
  )
  try {
    const response = await fetch(url, {
      method: 'POST',
      redirect: 'manual',
      headers: {
        'content-type': 'application/json',
        ...(secretToken !== '' && { 'x-telegram-bot-api-secret-token': secretToken }),
      },
      body: JSON.stringify(update).replace(',', ',\n'),
      signal: AbortSignal.any([late.signal, signal]),
    })
    const { status, headers } = response
    return {
      status,
      error: `Wrong response from the webhook: ${status} ${STATUS_CODES[status] ?? ''}`.trim(),
      retryAfter: Number(headers.get('retry-after')) || 0,
      contentType: headers.get('content-type') ?? '',
      body: Buffer.from(await response.arrayBuffer()),
    }
  } catch {
    const error = late.signal.aborted ? 'Read timeout expired' : 'Connection refused'
    return { status: 0, error, retryAfter: 0, contentType: '', body: Buffer.alloc(0) }
  } finally {
    ended.abort()
  }
}

/** What decides the order: an update of a chat waits for the ones before it in that chat. */
export function laneOf(update: Update): string {
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
