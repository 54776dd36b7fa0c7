import { badRequest } from '../wire/envelope.ts'
import { idOf, textOf } from '../wire/params.ts'
import type { StoredMessage } from '../world/message.ts'
import type { StoredChat, World } from '../world/world.ts'
import type { Method } from './method.ts'
import { readMessageIds } from './sending/message-ids.ts'

const DELETABLE_S = 48 * 3600

/** Deletes a message of the last two days: the bot's own, or in a private chat either side's. */
const deleteMessage: Method = ({ params }, { world }) => {
  const chatId = textOf(params, 'chat_id')
  const messageId = idOf(params, 'message_id')
  if (chatId === '') throw badRequest('chat identifier is not specified')
  const chat = world.accessChat(chatId, 'write')
  if (messageId === 0) throw badRequest('message identifier is not specified')
  const message = chat.messages.get(messageId)
  if (message === undefined) throw badRequest('message to delete not found')
  checkDeletable(message, chat, world)
  world.remove(message)
  return { result: true }
}

/** Passes over ids that are not there; all others go, or none. */
const deleteMessages: Method = ({ params }, { world }) => {
  const ids = readMessageIds(params)
  const chat = world.accessChat(textOf(params, 'chat_id'), 'write')
  const messages = ids.flatMap((id) => chat.messages.get(id) ?? [])
  for (const message of messages) checkDeletable(message, chat, world)
  for (const message of messages) world.remove(message)
  return { result: true }
}

function checkDeletable(message: StoredMessage, chat: StoredChat, world: World): void {
  const isAllowed =
    message.from === 'bot' || chat.type === 'private' || chat.botStatus === 'administrator'
  if (!isAllowed) throw badRequest('MESSAGE_DELETE_FORBIDDEN')
  if (world.unixTime() - message.date > DELETABLE_S) {
    throw badRequest("message can't be deleted for everyone")
  }
}

export const deletionMethods = { deleteMessage, deleteMessages }
