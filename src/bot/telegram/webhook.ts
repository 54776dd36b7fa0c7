import { createHash, timingSafeEqual } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import { GrammyError } from 'grammy'
import type { Update } from 'grammy/types'
import type { TelegramApi } from './api.ts'
import { SettingRefusedError } from './errors.ts'

/** The kinds of updates that the bot listens to. Telegram keeps an older list unless a call names one. */
export const ALLOWED_UPDATES = [
  'message',
  'edited_message',
  'callback_query',
  'my_chat_member',
] as const

const PATH = '/telegram/webhook'

/** An update is a few KiB; one that quotes long messages may be much more. */
const BODY_BYTES_MAX = 4 * 1024 * 1024
/** Telegram sends so many at once, those of one chat one after the other. */
const CONNECTIONS_MAX = 40

export interface WebhookOptions {
  secret: string
  /** Stores an update. Undefined as long as no bot can store it: Telegram sends it again. */
  receive: (update: Update) => Promise<void> | undefined
}

/** The route to which Telegram sends updates. Each is stored before it is confirmed. */
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
      const stored = receive(body)
      if (stored === undefined) return reply.code(503).send({ detail: 'The bot is not there yet.' })
      await stored
      return reply.send()
    })
  }
}

/**
 * Has Telegram send updates to the route below a public root.
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

/** Hashes to one length: comparing reveals nothing of the secret's. */
function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}

function isUpdate(body: unknown): body is Update {
  const { update_id: id } = (body ?? {}) as { update_id?: unknown }
  return Number.isSafeInteger(id)
}
