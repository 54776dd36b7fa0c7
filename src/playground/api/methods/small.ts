import { codePoints } from '../../content/text.ts'
import { unixTime } from '../../wire/clock.ts'
import { type Answer, badRequest } from '../../wire/envelope.ts'
import { boolOf, idOf, textOf } from '../../wire/params.ts'
import { type Call, type House, passFloodControl } from './method.ts'
import { checkRecipient, readTopic } from './sending.ts'

const ACTION_VISIBLE_MS = 5_000
const DELETABLE_S = 48 * 3600
const CALLBACK_ANSWER_CHARS_MAX = 200
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

export function getMe(_call: Call, { world }: House): Answer {
  return { result: world.me }
}

export async function sendChatAction(call: Call, house: House): Promise<Answer> {
  const { world, changes, clock } = house
  const name = textOf(call.params, 'action').toLowerCase()
  if (!ACTIONS.includes(name)) throw badRequest('wrong parameter action in request')
  const room = world.roomFor(textOf(call.params, 'chat_id'), 'write')
  readTopic(call.params, room, world)
  await passFloodControl('typing', room, call, house)
  checkRecipient(room, world)
  if (name === 'cancel') delete room.action
  else room.action = { name, visibleUntil: clock.now() + ACTION_VISIBLE_MS }
  changes.emit({ kind: 'action', chatId: room.id, action: name })
  return { result: true }
}

export function answerCallbackQuery({ params }: Call, house: House): Answer {
  const id = textOf(params, 'callback_query_id')
  const text = textOf(params, 'text')
  if (codePoints(text) > CALLBACK_ANSWER_CHARS_MAX) throw badRequest('MESSAGE_TOO_LONG')
  const showAlert = boolOf(params, 'show_alert')
  house.callbackQueries.answer(id, { text, showAlert, url: textOf(params, 'url') })
  house.changes.emit({ kind: 'answered', callbackQueryId: id })
  return { result: true }
}

/** Deletes a message of the last two days: the bot's own, or in a private chat anybody's. */
export function deleteMessage({ params }: Call, { world, changes, clock }: House): Answer {
  const chatId = textOf(params, 'chat_id')
  const messageId = idOf(params, 'message_id')
  if (chatId === '') throw badRequest('chat identifier is not specified')
  const room = world.roomFor(chatId, 'write')
  if (messageId === 0) throw badRequest('message identifier is not specified')
  const message = world.find(room.id, messageId)
  if (message === undefined) throw badRequest('message to delete not found')
  const isAllowed =
    message.from === 'bot' || room.type === 'private' || room.botStatus === 'administrator'
  if (!isAllowed) throw badRequest('MESSAGE_DELETE_FORBIDDEN')
  if (unixTime(clock) - message.date > DELETABLE_S) {
    throw badRequest("message can't be deleted for everyone")
  }
  world.remove(message)
  changes.emit({ kind: 'deleted', chatId: room.id, messageId })
  return { result: true }
}

export function getFile({ params }: Call, { files }: House): Answer {
  const fileId = textOf(params, 'file_id')
  const { file, path } = files.openPath(fileId)
  return {
    result: {
      file_id: fileId,
      file_unique_id: file.uniqueId,
      file_size: file.size,
      file_path: path,
    },
  }
}
