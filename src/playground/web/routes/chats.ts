import type { FastifyInstance } from 'fastify'
import { PageRefusal } from '../../../platform/http/page-refusal.ts'
import type { HistoryAnswer } from '../api.ts'
import { readId } from '../http/read-fields.ts'
import { isIn, pageOf } from '../to-wire/chat.ts'
import type { WebDeps } from '../web-deps.ts'
import { type ChatRequest, enterChat } from './enter-chat.ts'

interface ChatRoute {
  Params: ChatRequest['params']
}

interface HistoryRoute extends ChatRoute {
  Querystring: { as?: string; before?: string; thread_id?: string }
}

/** The routes of steps with chats, and of reading them. */
export function chatRoutes(app: FastifyInstance, deps: WebDeps): void {
  const { world, control } = deps

  app.get<HistoryRoute>('/chats/:id/history', async ({ params, query }): Promise<HistoryAnswer> => {
    const chat = world.chats.get(readId(params.id))
    if (chat === undefined) throw new PageRefusal(404, 'There is no such chat')
    if (!isIn(chat, readId(query.as, 'as'))) throw new PageRefusal(403, 'Not in this chat')
    return pageOf(chat, deps, {
      ...(query.before !== undefined && { before: readId(query.before, 'before') }),
      ...(query.thread_id !== undefined && { threadId: readId(query.thread_id, 'thread_id') }),
    })
  })

  /** Serves a person with curl. */
  app.get<ChatRoute>('/chats/:id', async ({ params }) => {
    const messages = deps.transcript(readId(params.id))
    return JSON.parse(JSON.stringify({ messages }, withoutBytes)) as unknown
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
    const { userId, chatId, body } = enterChat(request, deps)
    return { thread_id: control.addTopic(chatId, nameOf(body.text('name')), userId) }
  })

  app.post<ChatRoute>('/chats/:id/topic-changes', async (request) => {
    const { userId, chatId, chat, body } = enterChat(request, deps)
    const threadId = body.number('thread_id')
    const topic = chat.topics.get(threadId)
    if (topic === undefined) throw new PageRefusal(404, `There is no topic ${threadId}`)
    const name = body.ifGiven(body.text, 'name')
    const isClosed = body.ifGiven(body.flag, 'is_closed') ?? topic.isClosed
    if (body.ifGiven(body.flag, 'is_deleted')) {
      control.deletesTopic(chatId, threadId)
      return {}
    }
    if (name !== undefined && name !== topic.name) {
      control.renamesTopic(chatId, threadId, nameOf(name), userId)
    }
    if (isClosed && !topic.isClosed) control.closesTopic(chatId, threadId, userId)
    if (!isClosed && topic.isClosed) control.reopensTopic(chatId, threadId, userId)
    return {}
  })

  function enterOwn(request: ChatRequest) {
    const entrance = enterChat(request, deps)
    if (entrance.chat.type !== 'private') throw new PageRefusal(400, 'Only in a private chat')
    return entrance
  }
}

/** Leaves out a file's bytes and its path on this machine. */
function withoutBytes(key: string, value: unknown): unknown {
  return key === 'bytes' || key === 'path' ? undefined : value
}

function nameOf(given: string): string {
  const name = given.trim()
  if (name === '') throw new PageRefusal(422, 'A topic needs a name')
  if ([...name].length > 128) throw new PageRefusal(422, 'The name is longer than 128 characters')
  return name
}
