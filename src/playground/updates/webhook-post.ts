import type { IncomingHttpHeaders } from 'node:http'
import type { Update } from 'grammy/types'
import { type Dispatcher, request } from 'undici'
import type { Clock } from '../../platform/time/clock.ts'
import { type Params, textOf } from '../wire/params.ts'
import { parseParams } from '../wire/read-params.ts'
import { urlDecode } from '../wire/url-decode.ts'
import { TimeoutError, withTimeout } from '../wire/with-timeout.ts'
import { reasonOf } from './webhook-connections.ts'
import { parseWebhookUrl, type WebhookSettings } from './webhook-settings.ts'

const TIMEOUT_MS = 60_000
/** Methods that an answer cannot name: what they return would be lost. */
const REFUSED = /^(get.*|setwebhook|deletewebhook|close|logout)$/i

/** The answer of the bot's server, or the reason why there is none. */
export interface WebhookAnswer {
  /** 0 without an answer. */
  status: number
  error: string
  headers: IncomingHttpHeaders
  body: Buffer
}

/** How an update is brought. */
interface PostOptions {
  clock: Clock
  signal: AbortSignal
  connections: Dispatcher
}

/** Posts one update. Never rejects: a connection that fails is an answer too. */
export async function postUpdate(
  update: Update,
  { url, secretToken }: WebhookSettings,
  { connections, ...time }: PostOptions,
): Promise<WebhookAnswer> {
  const { href, authorization } = toAddress(url)
  try {
    return await withTimeout(
      async (signal) => {
        const response = await request(href, {
          method: 'POST',
          headers: {
            'content-type': 'application/json',
            ...authorization,
            ...(secretToken !== '' && { 'x-telegram-bot-api-secret-token': secretToken }),
          },
          body: JSON.stringify(update).replace(',', ',\n'),
          dispatcher: connections,
          signal,
        })
        const { statusCode: status, statusText, headers, body } = response
        return {
          status,
          error: `Wrong response from the webhook: ${status} ${statusText}`.trim(),
          headers,
          body: Buffer.from(await body.arrayBuffer()),
        }
      },
      { ...time, timeoutMs: TIMEOUT_MS },
    )
  } catch (thrown) {
    const error = thrown instanceof TimeoutError ? 'Read timeout expired' : reasonOf(thrown)
    return { status: 0, error, headers: {}, body: Buffer.alloc(0) }
  }
}

/** Name and password of an address go where a server expects them. */
function toAddress(text: string) {
  const url = new URL(parseWebhookUrl(text) ?? text)
  const { username, password } = url
  const credentials = Buffer.from(`${urlDecode(username)}:${urlDecode(password)}`)
  url.username = ''
  url.password = ''
  const authorization =
    username === '' ? {} : { authorization: `Basic ${credentials.toString('base64')}` }
  return { href: url.href, authorization }
}

/** Carries out a method. The bot does not get its result. */
export type WebhookReply = (method: string, params: Params) => Promise<unknown>

/** Carries out the method that an answer names, if it names one. */
export async function readReply(
  { headers, body }: WebhookAnswer,
  run: WebhookReply,
): Promise<void> {
  let params: Params
  try {
    params = parseParams({ contentType: headers['content-type'] ?? '', body })
  } catch {
    return // An answer need not be a call, so it is no mistake either.
  }
  const method = textOf(params, 'method')
  if (method !== '' && !REFUSED.test(method)) await run(method, params)
}
