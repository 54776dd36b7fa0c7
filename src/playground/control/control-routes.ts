import type { FastifyPluginCallback } from 'fastify'
import { isJsonObject } from '../../http/json.ts'
import type { PlaygroundMessage } from '../world/message.ts'
import type { ChatMaker } from './chat-maker.ts'
import type { People } from './people.ts'
import { readContent } from './read-content.ts'

/** A file of 20 MB, the largest that bots may fetch, in base64. */
const BODY_BYTES_MAX = 28 * 1024 * 1024

/** What a person with curl can do. */
export interface ControlRoutesDeps
  extends Pick<ChatMaker, 'hasUser' | 'addUser'>,
    Pick<People, 'userSends' | 'presses'> {
  transcript(chatId: number): PlaygroundMessage[]
  initData(userId: number): string
}

/**
 * Lets a person with curl play a user:
 *
 *     POST /playground/chats/:id/messages  {"text", "user_id"?, "first_name"?, "reply_to_message_id"?}
 *     POST /playground/chats/:id/messages  {"document": {"base64", "file_name"?}, "caption"?, "media_group_id"?}
 *     POST /playground/chats/:id/presses   {"message_id", "data", "user_id"?}
 *     GET  /playground/chats/:id
 *     POST /playground/users/:id/init-data {"first_name"?}
 *
 * A private chat has the id of its user, who is made on first use. Web pages of other sites are kept
 * out: a host that is not this machine is refused, and so is any body that a form could send.
 */
export const controlRoutes: FastifyPluginCallback<{ playground: ControlRoutesDeps }> = (
  app,
  { playground },
  done,
) => {
  app.addContentTypeParser(
    'application/json',
    { parseAs: 'string', bodyLimit: BODY_BYTES_MAX },
    app.getDefaultJsonParser('error', 'error'),
  )

  app.addHook('onRequest', async (request) => {
    const isFromHere = ['127.0.0.1', '::1', '::ffff:127.0.0.1'].includes(request.ip)
    const isLocal = isFromHere && ['127.0.0.1', 'localhost', '[::1]'].includes(request.hostname)
    if (!isLocal) throw refusal(403, 'Only for this machine')
    const isJson = /^application\/json\b/i.test(request.headers['content-type'] ?? '')
    if (request.method === 'POST' && !isJson) throw refusal(415, 'JSON expected')
  })

  app.setErrorHandler<Error & { statusCode?: number }>((error, _request, reply) =>
    reply.code(error.statusCode ?? 400).send({ detail: error.message }),
  )

  app.post<{ Params: { id: string } }>('/chats/:id/messages', async ({ params, body }) => {
    const fields = fieldsOf(body)
    const content = readContent(fields)
    if (content === undefined) throw refusal(422, 'text is missing, or a file')
    const { reply_to_message_id: replyToMessageId, media_group_id: mediaGroupId } = fields
    return playground.userSends({
      ...enter(params.id, fields),
      ...content,
      ...(typeof replyToMessageId === 'number' && { replyToMessageId }),
      ...(typeof mediaGroupId === 'string' && { mediaGroupId }),
    })
  })

  app.post<{ Params: { id: string } }>('/chats/:id/presses', async ({ params, body }) => {
    const fields = fieldsOf(body)
    const { chatId, userId } = enter(params.id, fields)
    const messageId = Number(fields.message_id)
    const data = String(fields.data ?? '')
    const id = playground.presses({ userId, chatId, messageId, data })
    return { callback_query_id: id }
  })

  app.get<{ Params: { id: string } }>('/chats/:id', async ({ params }) => {
    const messages = playground.transcript(Number(params.id))
    const withoutBytes = (key: string, value: unknown) => (key === 'bytes' ? undefined : value)
    return JSON.parse(JSON.stringify({ messages }, withoutBytes)) as unknown
  })

  app.post<{ Params: { id: string } }>('/users/:id/init-data', async ({ params, body }) => {
    const { userId } = enter(params.id, fieldsOf(body))
    return { init_data: playground.initData(userId) }
  })

  done()

  function enter(id: string, fields: Readonly<Record<string, unknown>>) {
    const chatId = Number(id)
    const userId = Number(fields.user_id ?? chatId)
    if (!Number.isSafeInteger(chatId) || !Number.isSafeInteger(userId) || userId <= 0) {
      throw refusal(422, 'A group needs the user_id of who acts in it')
    }
    if (!playground.hasUser(userId)) {
      const firstName = typeof fields.first_name === 'string' ? fields.first_name : `User ${userId}`
      playground.addUser({ id: userId, firstName })
    }
    return { chatId, userId }
  }
}

function fieldsOf(body: unknown): Readonly<Record<string, unknown>> {
  if (!isJsonObject(body)) throw refusal(422, 'A JSON object is expected')
  return body
}

/** An error that Fastify answers with a status of its own. */
function refusal(statusCode: number, message: string): Error {
  return Object.assign(new Error(message), { statusCode })
}
