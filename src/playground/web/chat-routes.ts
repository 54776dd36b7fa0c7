import type { FastifyInstance } from 'fastify'
import type { Message, User } from 'grammy/types'
import { PageRefusal } from '../../platform/http/page.ts'
import { toEntities } from '../content/entities.ts'
import type { StoredChat } from '../state.ts'
import type { HistoryAnswer, WireMessage } from './api.ts'
import { type Fields, readFields, readId } from './read-fields.ts'
import { isIn, pageOf, toWireMessages } from './to-wire.ts'
import type { WebDeps } from './web-deps.ts'

const TOPIC_CHARS_MAX = 128
const NAME_CHARS_MAX = 64
const PEOPLE_FROM = 1001

interface ChatRoute {
  Params: { id: string }
}

interface HistoryRoute extends ChatRoute {
  Querystring: { as?: string; before?: string }
}

interface Entrance {
  userId: number
  chatId: number
  chat: StoredChat
}

export function chatRoutes(app: FastifyInstance, deps: WebDeps): void {
  const { world, control } = deps

  app.get<HistoryRoute>('/chats/:id/history', async ({ params, query }): Promise<HistoryAnswer> => {
    const chat = world.chats.get(readId(params.id))
    if (chat === undefined) throw new PageRefusal(404, 'There is no such chat')
    if (!isIn(chat, readId(query.as, 'as'))) throw new PageRefusal(403, 'Not in this chat')
    return pageOf(chat, deps, readId(query.before, 'before'))
  })

  /** Serves a person with curl. */
  app.get<ChatRoute>('/chats/:id', async ({ params }) => {
    const messages = deps.transcript(readId(params.id))
    // Without the bytes of files in memory.
    const text = JSON.stringify({ messages }, (key, value: unknown) =>
      key === 'bytes' ? undefined : value,
    )
    return JSON.parse(text) as unknown
  })

  app.post<ChatRoute>('/chats/:id/messages', async (request) => {
    const { userId, chatId, body } = enterChat(request)
    const sent = control.userWrites({
      userId,
      chatId,
      text: body.text('text'),
      entities: toEntities(body.fields.entities),
      threadId: body.ifGiven(body.number, 'thread_id'),
      replyToMessageId: body.ifGiven(body.number, 'reply_to_message_id'),
      quote: body.ifGiven(body.text, 'quote'),
    })
    return { messages: toWire(sent) }
  })

  app.post<ChatRoute>('/chats/:id/edits', async (request) => {
    const { userId, chatId, body } = enterChat(request)
    const messageId = body.number('message_id')
    const edited = control.userEdits({ userId, chatId, messageId, text: body.text('text') })
    return { message: toWire([edited])[0] }
  })

  app.post<ChatRoute>('/chats/:id/deletions', async (request) => {
    const { userId, chatId, body } = enterChat(request)
    control.userDeletesAll({ userId, chatId, messageIds: body.numbers('message_ids') })
    return {}
  })

  app.post<ChatRoute>('/chats/:id/presses', async (request) => {
    const { userId, chatId, body } = enterChat(request)
    const messageId = body.number('message_id')
    const id = control.presses({ userId, chatId, messageId, data: body.text('data') })
    return { callback_query_id: id }
  })

  app.post<ChatRoute>('/chats/:id/starts', async (request) => {
    const { userId, body } = enterOwn(request)
    const payload = body.ifGiven(body.text, 'payload')
    control.userStarts({ userId, ...(payload !== undefined && { payload }) })
    return {}
  })

  app.post<ChatRoute>('/chats/:id/blocks', async (request) => {
    const { userId, body } = enterOwn(request)
    if (body.flag('is_blocked')) control.blocks(userId)
    else control.unblocks(userId)
    return {}
  })

  app.post<ChatRoute>('/chats/:id/topics', async (request) => {
    const { userId, chatId, body } = enterChat(request)
    const name = body.text('name').trim()
    if (name === '' || [...name].length > TOPIC_CHARS_MAX) {
      throw new PageRefusal(422, `The name of a topic has 1 to ${TOPIC_CHARS_MAX} characters`)
    }
    return { thread_id: control.addTopic(chatId, name, userId) }
  })

  app.post<ChatRoute>('/chats/:id/web-apps', async (request) => {
    const { userId } = enterChat(request)
    return { init_data: control.initData(userId) }
  })

  /** Adds a person, who has not pressed Start. */
  app.post('/people', async ({ body }): Promise<User> => {
    const fields = readFields(body)
    const firstName = fields.text('first_name').trim()
    if (firstName === '' || [...firstName].length > NAME_CHARS_MAX) {
      throw new PageRefusal(422, `A name has 1 to ${NAME_CHARS_MAX} characters`)
    }
    const languageCode = languageOf(fields.ifGiven(fields.text, 'language_code') ?? 'en')
    let id = PEOPLE_FROM
    while (control.hasUser(id)) id++
    control.addUser({ id, firstName, languageCode, started: false })
    return world.personOf(id).user
  })

  app.post<ChatRoute>('/people/:id', async ({ params, body }): Promise<User> => {
    const userId = readId(params.id)
    const languageCode = languageOf(readFields(body).text('language_code'))
    if (!control.hasUser(userId)) throw new PageRefusal(404, `There is no user ${userId}`)
    control.setsLanguage(userId, languageCode)
    return world.personOf(userId).user
  })

  /**
   * Finds who does something in which chat.
   *
   * @throws {PageRefusal} 403 if they are not in the chat, 404 if there is none.
   */
  function enterChat({
    params,
    body,
  }: {
    params: ChatRoute['Params']
    body: unknown
  }): Entrance & { body: Fields } {
    const fields = readFields(body)
    const chatId = readId(params.id)
    const userId = fields.ifGiven(fields.number, 'user_id') ?? chatId
    return { ...enter({ chatId, userId }, deps), body: fields }
  }

  function enterOwn(request: Parameters<typeof enterChat>[0]) {
    const entrance = enterChat(request)
    if (entrance.chat.type !== 'private') throw new PageRefusal(400, 'Only in a private chat')
    return entrance
  }

  function toWire(messages: readonly Message[]): WireMessage[] {
    return toWireMessages(messages, world)
  }
}

/** Checks that a person is in a chat. With curl the id of a private chat is enough: its user is made on first use. */
export function enter(
  { chatId, userId }: { chatId: number; userId: number },
  { world, control }: WebDeps,
): Entrance {
  if (userId <= 0) throw new PageRefusal(422, 'A group needs the user_id of who acts in it')
  if (userId === world.me.id) throw new PageRefusal(422, `${userId} is no person's id`)
  if (userId === chatId && !control.hasUser(userId)) {
    control.addUser({ id: userId, firstName: `User ${userId}` })
  }
  const chat = world.chats.get(chatId)
  if (chat === undefined) throw new PageRefusal(404, `There is no chat ${chatId}`)
  if (!isIn(chat, userId)) throw new PageRefusal(403, `User ${userId} is not in chat ${chatId}`)
  return { userId, chatId, chat }
}

function languageOf(code: string): string {
  if (/^[a-z]{2,3}(-[A-Za-z0-9]{2,8})*$/.test(code)) return code
  throw new PageRefusal(422, 'language_code is no language')
}
