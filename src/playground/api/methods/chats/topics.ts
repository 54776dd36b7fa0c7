import { badRequest } from '../../../wire/envelope.ts'
import { textOf } from '../../../wire/params.ts'
import type { Method } from '../method.ts'
import { readTopic } from '../sending/target.ts'

const NAME_CHARS_MAX = 128

/** In private chats the bot needs no right for it. Too long a name is cut; an empty one keeps the old. */
const editForumTopic: Method = async (call, { world }) => {
  const { params } = call
  const chat = world.accessChat(textOf(params, 'chat_id'), 'write')
  const topic = chat.topics.get(readTopic(params, chat, world))
  if (topic === undefined) throw badRequest('message thread not found')
  if (chat.type !== 'private' && chat.botStatus !== 'administrator') {
    throw badRequest('not enough rights to edit the topic')
  }
  await call.passFloodControl('send', chat)
  const name = [...textOf(params, 'name').trim()].slice(0, NAME_CHARS_MAX).join('')
  if (name === topic.name) throw badRequest('TOPIC_NOT_MODIFIED')
  if (name !== '') topic.name = name
  return { result: true }
}

export const topicMethods = { editForumTopic }
