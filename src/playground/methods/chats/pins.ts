import { badRequest } from '../../wire/envelope.ts'
import { idOf, type Params, textOf } from '../../wire/params.ts'
import type { StoredMessage } from '../../world/message.ts'
import { addServiceMessage } from '../../world/service-messages.ts'
import { toMessage } from '../../world/to-message.ts'
import type { StoredChat, World } from '../../world/world.ts'
import type { Method } from '../method.ts'
import { requireAdministrator } from './administrator.ts'

/** Puts a message on top of the pins, and says so in the chat. */
const pinChatMessage: Method = ({ params }, deps) => {
  const { world } = deps
  const chat = accessToWrite(params, world)
  const message = find(params, chat, 'message to pin')
  requireRight(chat)
  if (message.content.service) throw badRequest('MESSAGE_ID_INVALID')
  if (chat.pinned[0] === message.id) throw badRequest('CHAT_NOT_MODIFIED')
  world.pin(chat, message.id)
  const author = { userId: world.bot.id, threadId: message.threadId }
  const senderChat = chat.type === 'channel' ? chat.shown : undefined
  const pinned = { pinned_message: toMessage(message, world, false) }
  addServiceMessage(deps, chat, pinned, { ...author, senderChat })
  return { result: true }
}

/** Unpins a message; without one, the newest pin. */
const unpinChatMessage: Method = ({ params }, { world }) => {
  const chat = accessToWrite(params, world)
  const isNamed = idOf(params, 'message_id') !== 0
  const messageId = isNamed ? find(params, chat, 'message to unpin').id : chat.pinned[0]
  if (messageId === undefined) throw badRequest('message to unpin not found')
  requireRight(chat)
  world.unpin(chat, [messageId])
  return { result: true }
}

const unpinAllChatMessages: Method = ({ params }, { world }) => {
  const chat = accessToWrite(params, world)
  requireRight(chat)
  world.unpin(chat, chat.pinned)
  return { result: true }
}

const unpinAllForumTopicMessages: Method = ({ params }, { world }) => {
  const chat = accessToWrite(params, world)
  const threadId = idOf(params, 'message_thread_id')
  if (!chat.topics.has(threadId)) throw badRequest('message thread not found')
  unpinThread(chat, threadId, world)
  return { result: true }
}

const unpinAllGeneralForumTopicMessages: Method = ({ params }, { world }) => {
  const chat = accessToWrite(params, world)
  if (!chat.isForum) throw badRequest('the chat is not a forum')
  unpinThread(chat, undefined, world)
  return { result: true }
}

function unpinThread(chat: StoredChat, threadId: number | undefined, world: World): void {
  requireRight(chat)
  const inThread = (id: number) => chat.messages.get(id)?.threadId === threadId
  world.unpin(chat, chat.pinned.filter(inThread))
}

function accessToWrite(params: Params, world: World): StoredChat {
  return world.accessChat(textOf(params, 'chat_id'), 'write')
}

function find(params: Params, chat: StoredChat, what: string): StoredMessage {
  const message = chat.messages.get(idOf(params, 'message_id'))
  if (message === undefined) throw badRequest(`${what} not found`)
  return message
}

/** Each side of a private chat may pin. */
function requireRight(chat: StoredChat): void {
  if (chat.type === 'private') return
  requireAdministrator(chat, 'not enough rights to manage pinned messages in the chat')
}

export const pinMethods = {
  pinChatMessage,
  unpinChatMessage,
  unpinAllChatMessages,
  unpinAllForumTopicMessages,
  unpinAllGeneralForumTopicMessages,
}
