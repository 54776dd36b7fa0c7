import type { ForumTopic } from 'grammy/types'
import { badRequest } from '../../wire/envelope.ts'
import { intOf, type Params, textOf } from '../../wire/params.ts'
import { addServiceMessage } from '../../world/service-messages.ts'
import { hasTopics, type StoredChat, type World } from '../../world/world.ts'
import type { Method } from '../method.ts'
import { readTopic } from '../sending/target.ts'
import { requireAdministrator } from './administrator.ts'

const NAME_CHARS_MAX = 128
/** The first is what any other colour becomes. */
const ICON_COLORS = [0x6fb9f0, 0xffd67e, 0xcb86db, 0x8eee98, 0xff93b2, 0xfb6f5f] as const

const createForumTopic: Method = async (call, deps) => {
  const { world } = deps
  const { params } = call
  const chat = accessForum(params, world)
  requireRight(chat, 'not enough rights to create a topic')
  const name = readName(params)
  if (name === '') throw badRequest('title must be non-empty')
  await call.passFloodControl('send', chat)
  const color = intOf(params, 'icon_color', { min: 0, max: 0xffffff })
  const emojiId = textOf(params, 'icon_custom_emoji_id')
  const created = {
    name,
    icon_color: ICON_COLORS.find((known) => known === color) ?? ICON_COLORS[0],
    ...(emojiId !== '' && { icon_custom_emoji_id: emojiId }),
  }
  const fields = { forum_topic_created: created }
  const threadId = addServiceMessage(deps, chat, fields, { userId: world.bot.id })
  chat.topics.set(threadId, { name, isClosed: false })
  world.emitChat(chat.id)
  return { result: { message_thread_id: threadId, ...created } satisfies ForumTopic }
}

/** Renames a topic; in private chats the bot needs no right for it. Too long a name is cut; an empty one keeps the old. */
const editForumTopic: Method = async (call, deps) => {
  const { params } = call
  const { world } = deps
  const { chat, topic, threadId } = findTopic(params, world)
  requireRight(chat, 'not enough rights to edit the topic', threadId)
  await call.passFloodControl('send', chat)
  const name = readName(params)
  if (name === topic.name) throw badRequest('TOPIC_NOT_MODIFIED')
  if (name === '') return { result: true }
  topic.name = name
  addServiceMessage(deps, chat, { forum_topic_edited: { name } }, { ...byBot(world), threadId })
  world.emitChat(chat.id)
  return { result: true }
}

/** Only administrators write in a closed topic. */
function closer(isClosed: boolean): Method {
  return ({ params }, deps) => {
    const { chat, topic, threadId } = findTopic(params, deps.world)
    requireRight(chat, 'not enough rights to close or open the topic', threadId)
    if (topic.isClosed === isClosed) throw badRequest('TOPIC_NOT_MODIFIED')
    topic.isClosed = isClosed
    const change = isClosed ? { forum_topic_closed: {} } : { forum_topic_reopened: {} }
    addServiceMessage(deps, chat, change, { ...byBot(deps.world), threadId })
    deps.world.emitChat(chat.id)
    return { result: true }
  }
}

/** Deletes a topic with all its messages. */
const deleteForumTopic: Method = ({ params }, { world }) => {
  const { chat, threadId } = findTopic(params, world)
  requireRight(chat, 'not enough rights to delete the topic', threadId)
  chat.topics.delete(threadId)
  for (const message of [...chat.messages.values()]) {
    if (message.threadId === threadId || message.id === threadId) world.remove(message)
  }
  world.emitChat(chat.id)
  return { result: true }
}

const editGeneralForumTopic: Method = ({ params }, deps) => {
  const { chat, general } = findGeneral(params, deps.world, 'edit')
  const name = readName(params)
  if (name === general.name) throw badRequest('TOPIC_NOT_MODIFIED')
  if (name === '') return { result: true }
  general.name = name
  addServiceMessage(deps, chat, { forum_topic_edited: { name } }, byBot(deps.world))
  deps.world.emitChat(chat.id)
  return { result: true }
}

function generalCloser(isClosed: boolean): Method {
  return ({ params }, deps) => {
    const { chat, general } = findGeneral(params, deps.world, 'close or open')
    if (general.isClosed === isClosed) throw badRequest('TOPIC_NOT_MODIFIED')
    general.isClosed = isClosed
    const change = isClosed ? { forum_topic_closed: {} } : { forum_topic_reopened: {} }
    addServiceMessage(deps, chat, change, byBot(deps.world))
    deps.world.emitChat(chat.id)
    return { result: true }
  }
}

/** A hidden General is closed, and stays so when it shows again. */
function generalHider(isHidden: boolean): Method {
  return ({ params }, deps) => {
    const { chat, general } = findGeneral(params, deps.world, 'close or open')
    if (general.isHidden === isHidden) throw badRequest('TOPIC_NOT_MODIFIED')
    general.isHidden = isHidden
    if (isHidden) general.isClosed = true
    const change = isHidden
      ? { general_forum_topic_hidden: {} }
      : { general_forum_topic_unhidden: {} }
    addServiceMessage(deps, chat, change, byBot(deps.world))
    deps.world.emitChat(chat.id)
    return { result: true }
  }
}

/** There are no custom emoji here. */
const getForumTopicIconStickers: Method = () => ({ result: [] })

function accessForum(params: Params, world: World): StoredChat {
  const chat = world.accessChat(textOf(params, 'chat_id'), 'write')
  if (!hasTopics(chat, world)) throw badRequest('the chat is not a forum')
  return chat
}

function findTopic(params: Params, world: World) {
  const chat = world.accessChat(textOf(params, 'chat_id'), 'write')
  const threadId = readTopic(params, chat, world)
  const topic = chat.topics.get(threadId)
  if (topic === undefined) throw badRequest('message thread not found')
  return { chat, topic, threadId }
}

function findGeneral(params: Params, world: World, step: string) {
  const chat = accessForum(params, world)
  if (!chat.isForum) throw badRequest('the chat is not a forum')
  requireRight(chat, `not enough rights to ${step} the topic`)
  return { chat, general: chat.general }
}

/** The bot has every right in a private chat, and over topics of its own. */
function requireRight(chat: StoredChat, complaint: string, threadId = 0): void {
  const isOwn = chat.messages.get(threadId)?.from === 'bot'
  if (chat.type !== 'private' && !isOwn) requireAdministrator(chat, complaint)
}

function readName(params: Params): string {
  return [...textOf(params, 'name').trim()].slice(0, NAME_CHARS_MAX).join('')
}

function byBot({ bot }: World) {
  return { userId: bot.id }
}

export const topicMethods = {
  createForumTopic,
  editForumTopic,
  closeForumTopic: closer(true),
  reopenForumTopic: closer(false),
  deleteForumTopic,
  editGeneralForumTopic,
  closeGeneralForumTopic: generalCloser(true),
  reopenGeneralForumTopic: generalCloser(false),
  hideGeneralForumTopic: generalHider(true),
  unhideGeneralForumTopic: generalHider(false),
  getForumTopicIconStickers,
}
