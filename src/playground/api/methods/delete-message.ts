import { badRequest } from '../../wire/envelope.ts'
import { idOf, textOf } from '../../wire/params.ts'
import type { Method } from './method.ts'

const DELETABLE_S = 48 * 3600

/** Deletes a message of the last two days: the bot's own, or in a private chat anybody's. */
export const deleteMessage: Method = ({ params }, { world, changes }) => {
  const chatId = textOf(params, 'chat_id')
  const messageId = idOf(params, 'message_id')
  if (chatId === '') throw badRequest('chat identifier is not specified')
  const chat = world.accessChat(chatId, 'write')
  if (messageId === 0) throw badRequest('message identifier is not specified')
  const message = world.find(chat.id, messageId)
  if (message === undefined) throw badRequest('message to delete not found')
  const isAllowed =
    message.from === 'bot' || chat.type === 'private' || chat.botStatus === 'administrator'
  if (!isAllowed) throw badRequest('MESSAGE_DELETE_FORBIDDEN')
  if (world.unixTime() - message.date > DELETABLE_S) {
    throw badRequest("message can't be deleted for everyone")
  }
  world.remove(message)
  changes.emit({ kind: 'deleted', chatId: chat.id, messageId })
  return { result: true }
}
