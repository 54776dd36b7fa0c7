import { STATUS_CODES } from 'node:http'
import type { Update } from 'grammy/types'
import type { Clock } from '../../time/clock.ts'
import { type Params, textOf } from '../wire/params.ts'
import { parseParams } from '../wire/read-params.ts'
import { TimeoutError, withTimeout } from '../wire/with-timeout.ts'

const TIMEOUT_MS = 60_000
/** Methods that an answer cannot name: what they return would be lost. */
const REFUSED = /^(get.*|setwebhook|deletewebhook|close|logout)$/i

export interface WebhookSettings {
  url: string
  secretToken: string
  maxConnections: number
}

/** What the bot's server said, or why it said nothing. */
export interface WebhookAnswer {
  /** 0 without an answer. */
  status: number
  error: string
  headers: Headers
  body: Buffer
}

/** Posts one update. Never rejects: a connection that fails is an answer too. */
export async function postUpdate(
  update: Update,
  { url, secretToken }: WebhookSettings,
  time: { clock: Clock; signal: AbortSignal },
): Promise<WebhookAnswer> {
  try {
    return await withTimeout(
      async (signal) => {
        const response = await fetch(url, {
          method: 'POST',
          redirect: 'manual',
          headers: {
            'content-type': 'application/json',
            ...(secretToken !== '' && { 'x-telegram-bot-api-secret-token': secretToken }),
          },
          body: JSON.stringify(update).replace(',', ',\n'),
          signal,
        })
        const { status, headers } = response
        return {
          status,
          error: `Wrong response from the webhook: ${status} ${STATUS_CODES[status] ?? ''}`.trim(),
          headers,
          body: Buffer.from(await response.arrayBuffer()),
        }
      },
      { ...time, timeoutMs: TIMEOUT_MS },
    )
  } catch (thrown) {
    const error = thrown instanceof TimeoutError ? 'Read timeout expired' : 'Connection refused'
    return { status: 0, error, headers: new Headers(), body: Buffer.alloc(0) }
  }
}

/** Carries out a method. Its result is not told to the bot. */
export type WebhookReply = (method: string, params: Params) => Promise<unknown>

/** Carries out the method that an answer names, if it names one. */
export async function readReply(
  { headers, body }: WebhookAnswer,
  run: WebhookReply,
): Promise<void> {
  let params: Params
  try {
    params = parseParams({ contentType: headers.get('content-type') ?? '', body })
  } catch {
    return // An answer need not be a call, so it is no mistake either.
  }
  const method = textOf(params, 'method')
  if (method !== '' && !REFUSED.test(method)) await run(method, params)
}
