import { badRequest } from '../../wire/envelope.ts'
import { textOf } from '../../wire/params.ts'
import { type Method, passFloodControl } from './method.ts'
import { checkRecipient, readTopic } from './sending.ts'

const VISIBLE_MS = 5_000
const ACTIONS = [
  'typing',
  'upload_photo',
  'record_video',
  'upload_video',
  'record_voice',
  'upload_voice',
  'upload_document',
  'choose_sticker',
  'find_location',
  'record_video_note',
  'upload_video_note',
  'cancel',
]

export const sendChatAction: Method = async (call, deps) => {
  const { world, changes, clock } = deps
  const name = textOf(call.params, 'action').toLowerCase()
  if (!ACTIONS.includes(name)) throw badRequest('wrong parameter action in request')
  const chat = world.accessChat(textOf(call.params, 'chat_id'), 'write')
  readTopic(call.params, chat, world)
  await passFloodControl('typing', chat, call, deps)
  checkRecipient(chat, world)
  if (name === 'cancel') delete chat.action
  else chat.action = { name, visibleUntil: clock.now() + VISIBLE_MS }
  changes.emit({ kind: 'action', chatId: chat.id, action: name })
  return { result: true }
}
