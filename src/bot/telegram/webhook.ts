import { createHash, timingSafeEqual } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import { GrammyError } from 'grammy'
import type { Update } from 'grammy/types'
import type { TelegramApi } from './api.ts'
import { SettingRefusedError } from './errors.ts'

/** Telegram keeps an older list unless a call names a list. */
export const ALLOWED_UPDATES = [
  'message',
  'edited_message',
  'callback_query',
  'my_chat_member',
] as const

const PATH = '/telegram/webhook'

/** An update is a few KiB; an update that quotes long messages may be much larger. */
const BODY_BYTES_MAX = 4 * 1024 * 1024
/** Telegram sends so many updates at once, but only one of each chat. */
const CONNECTIONS_MAX = 40

export interface WebhookOptions {
  secret: string
  /** Stores an update. */
  receive: (update: Update) => Promise<void>
}

/** Creates the route for updates, which are stored before they are confirmed. */
export function createWebhookPlugin({ secret, receive }: WebhookOptions) {
  const wanted = digest(secret)
  return async (http: FastifyInstance): Promise<void> => {
    http.addHook('onRequest', async (request, reply) => {
      const given = request.headers['x-telegram-bot-api-secret-token']
      if (typeof given === 'string' && timingSafeEqual(digest(given), wanted)) return
      await reply.code(401).send({ detail: 'The secret token is missing or wrong.' })
    })
    http.post(PATH, { bodyLimit: BODY_BYTES_MAX }, async ({ body }, reply) => {
      if (!isUpdate(body)) return reply.code(400).send({ detail: 'This is no update.' })
      await receive(body)
      return reply.send()
    })
  }
}

/**
 * Sets the webhook to the route below a public root.
 *
 * @throws {SettingRefusedError} If Telegram cannot or will not send anything there.
 */
export async function setWebhook(
  api: TelegramApi['calls'],
  { publicUrl, secret }: { publicUrl: string; secret: string },
): Promise<void> {
  try {
    await api.setWebhook(`${publicUrl}${PATH}`, {
      secret_token: secret,
      allowed_updates: ALLOWED_UPDATES,
      max_connections: CONNECTIONS_MAX,
    })
  } catch (error) {
    const isRefused = error instanceof GrammyError && error.error_code === 400
    throw isRefused ? new SettingRefusedError('PUBLIC_URL', error.description) : error
  }
}

/** Hashes to one length: a comparison does not reveal the length of the secret. */
function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}

function isUpdate(body: unknown): body is Update {
  const { update_id: id } = (body ?? {}) as { update_id?: unknown }
  return Number.isSafeInteger(id)
}
