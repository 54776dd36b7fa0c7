import type { FastifyInstance } from 'fastify'
import type { Message, ReactionType } from 'grammy/types'
import { isJsonObject } from '../../../platform/http/json.ts'
import { PageRefusal } from '../../../platform/http/page-refusal.ts'
import { toEntities } from '../../content/entities.ts'
import { readContent } from '../../control/read-content.ts'
import type { WireMessage } from '../api.ts'
import { isIn } from '../to-wire/chat.ts'
import { toWireMessages } from '../to-wire/message.ts'
import type { WebDeps } from '../web-deps.ts'
import { type ChatRequest, enterChat } from './enter-chat.ts'

interface ChatRoute {
  Params: ChatRequest['params']
}

/** The routes of steps with messages: write, change, delete, forward, react, press. */
export function messageRoutes(app: FastifyInstance, deps: WebDeps): void {
  const { world, control, drafts } = deps

  app.post<ChatRoute>('/chats/:id/messages', async (request) => {
    const { userId, chatId, body } = enterChat(request, deps)
    const entrance = {
      userId,
      chatId,
      threadId: body.ifGiven(body.number, 'thread_id'),
      replyToMessageId: body.ifGiven(body.number, 'reply_to_message_id'),
      quote: body.ifGiven(body.text, 'quote'),
    }
    const content = readContent(body.fields)
    if (content === undefined) throw new PageRefusal(422, 'text is missing, or a file')
    if (content.text !== undefined) {
      const entities = toEntities(body.fields.entities)
      return { messages: toWire(control.userWrites({ ...entrance, text: content.text, entities })) }
    }
    const mediaGroupId = body.ifGiven(body.text, 'media_group_id')
    const sent = control.userSends({ ...entrance, ...content, mediaGroupId })
    return { messages: toWire([sent]) }
  })

  app.post<ChatRoute>('/chats/:id/contacts', async (request) => {
    const { userId, chatId, body } = enterChat(request, deps)
    if (chatId !== userId) throw new PageRefusal(409, 'A contact is shared in private chats only')
    const messageId = body.number('message_id')
    return { messages: toWire([control.userSharesContact({ userId, messageId })]) }
  })

  app.post<ChatRoute>('/chats/:id/edits', async (request) => {
    const { userId, chatId, body } = enterChat(request, deps)
    const messageId = body.number('message_id')
    const edited = control.userEdits({ userId, chatId, messageId, text: body.text('text') })
    return { message: toWire([edited])[0] }
  })

  app.post<ChatRoute>('/chats/:id/deletions', async (request) => {
    const { userId, chatId, body } = enterChat(request, deps)
    control.userDeletesAll({ userId, chatId, messageIds: body.numbers('message_ids') })
    return {}
  })

  app.post<ChatRoute>('/chats/:id/forwards', async (request) => {
    const { userId, chatId, body } = enterChat(request, deps)
    const fromChatId = body.number('from_chat_id')
    const from = world.chats.get(fromChatId)
    if (from === undefined || !isIn(from, userId)) {
      throw new PageRefusal(403, `User ${userId} is not in chat ${fromChatId}`)
    }
    const forwarded = control.userForwards({
      userId,
      chatId,
      fromChatId,
      messageIds: body.numbers('message_ids'),
      threadId: body.ifGiven(body.number, 'thread_id'),
    })
    return { messages: toWire(forwarded) }
  })

  app.post<ChatRoute>('/chats/:id/reactions', async (request) => {
    const { userId, chatId, body } = enterChat(request, deps)
    const messageId = body.number('message_id')
    const reaction = readReaction(body.fields.reaction)
    control.userReacts({ userId, chatId, messageId, reaction })
    return {}
  })

  app.post<ChatRoute>('/chats/:id/presses', async (request) => {
    const { userId, chatId, body } = enterChat(request, deps)
    const messageId = body.number('message_id')
    const id = control.presses({ userId, chatId, messageId, data: body.text('data') })
    return { callback_query_id: id }
  })

  app.post<ChatRoute>('/chats/:id/stops', async (request) => {
    const { chatId, body } = enterChat(request, deps)
    drafts.pressStop(chatId, body.ifGiven(body.number, 'thread_id') ?? 0)
    return {}
  })

  function toWire(messages: readonly Message[]): WireMessage[] {
    return toWireMessages(messages, world)
  }
}

function readReaction(value: unknown): ReactionType | undefined {
  if (value === undefined) return undefined
  if (!isJsonObject(value) || value.type !== 'emoji' || typeof value.emoji !== 'string') {
    throw new PageRefusal(422, 'reaction is no emoji')
  }
  const { type, emoji } = value
  return { type, emoji } as ReactionType
}
