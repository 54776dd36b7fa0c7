import { codePoints } from '../content/text.ts'
import { badRequest } from '../wire/envelope.ts'
import { boolOf, textOf } from '../wire/params.ts'
import { addServiceMessage } from '../world/to-message.ts'
import { botMethods } from './bot-settings.ts'
import { editMethods } from './edits.ts'
import type { Method } from './method.ts'
import { sendMethods } from './send.ts'
import { checkRecipient, readTopic } from './target.ts'
import { updateMethods } from './updates.ts'

const ANSWER_CHARS_MAX = 200
const TOPIC_CHARS_MAX = 128
const ACTION_VISIBLE_MS = 5_000
const ACTIONS = ['typing', 'upload_photo', 'upload_video', 'upload_document']

const getMe: Method = (_call, { world }) => ({ result: world.me })

const getFile: Method = ({ params }, { files }) => {
  const fileId = textOf(params, 'file_id')
  const { file, path } = files.openPath(fileId)
  const { uniqueId, size } = file
  return {
    result: { file_id: fileId, file_unique_id: uniqueId, file_size: size, file_path: path },
  }
}

const answerCallbackQuery: Method = ({ params }, { callbackQueries }) => {
  const text = textOf(params, 'text')
  if (codePoints(text) > ANSWER_CHARS_MAX) throw badRequest('MESSAGE_TOO_LONG')
  callbackQueries.answer(textOf(params, 'callback_query_id'), {
    text,
    showAlert: boolOf(params, 'show_alert'),
    url: textOf(params, 'url'),
  })
  return { result: true }
}

const sendChatAction: Method = async (call, { world, clock }) => {
  const name = textOf(call.params, 'action').toLowerCase()
  if (!ACTIONS.includes(name)) throw badRequest('wrong parameter action in request')
  const chat = world.accessChat(textOf(call.params, 'chat_id'), 'write')
  const threadId = readTopic(call.params, chat, world)
  await call.passFloodControl('typing', chat)
  checkRecipient(chat, world)
  chat.action = { name, threadId, visibleUntil: clock.date().getTime() + ACTION_VISIBLE_MS }
  return { result: true }
}

const editForumTopic: Method = async (call, deps) => {
  const { params } = call
  const { world } = deps
  const chat = world.accessChat(textOf(params, 'chat_id'), 'write')
  const threadId = readTopic(params, chat, world)
  const topic = chat.topics.get(threadId)
  if (topic === undefined) throw badRequest('message thread not found')
  if (chat.type !== 'private' && chat.botStatus !== 'administrator') {
    throw badRequest('not enough rights to edit the topic')
  }
  await call.passFloodControl('send', chat)
  const name = [...textOf(params, 'name').trim()].slice(0, TOPIC_CHARS_MAX).join('')
  if (name === topic.name) throw badRequest('TOPIC_NOT_MODIFIED')
  if (name === '') return { result: true }
  topic.name = name
  const fields = { forum_topic_edited: { name } }
  addServiceMessage(deps, chat, fields, { userId: world.bot.id, threadId })
  world.emitChat(chat.id)
  return { result: true }
}

const METHODS: Readonly<Record<string, Method>> = {
  answerCallbackQuery,
  editForumTopic,
  getFile,
  getMe,
  sendChatAction,
  ...botMethods,
  ...editMethods,
  ...sendMethods,
  ...updateMethods,
}

const BY_LOWER_CASE = new Map(
  Object.entries(METHODS).map(([name, method]) => [name.toLowerCase(), method]),
)

/** Finds a method by its name in any case. */
export function findMethod(name: string): Method | undefined {
  return BY_LOWER_CASE.get(name.toLowerCase())
}
