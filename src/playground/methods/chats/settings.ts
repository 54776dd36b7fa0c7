import { randomBytes } from 'node:crypto'
import type { Chat, ChatFullInfo } from 'grammy/types'
import { badRequest } from '../../wire/envelope.ts'
import { textOf } from '../../wire/params.ts'
import { addServiceMessage } from '../../world/service-messages.ts'
import { toMessage } from '../../world/to-message.ts'
import type { StoredChat, World } from '../../world/world.ts'
import type { Method } from '../method.ts'
import { requireAdministrator } from './administrator.ts'
import { readPermissions, toPermissions } from './permissions.ts'

const TITLE_CHARS_MAX = 128
const DESCRIPTION_CHARS_MAX = 255
const REACTIONS_MAX = 11
const NO_GIFTS: ChatFullInfo['accepted_gift_types'] = {
  unlimited_gifts: false,
  limited_gifts: false,
  unique_gifts: false,
  premium_subscription: false,
  gifts_from_channels: false,
}

const getChat: Method = ({ params }, { world }) => {
  const chat = world.accessChat(textOf(params, 'chat_id'), 'read')
  return { result: toFullInfo(chat, world) }
}

function toFullInfo(chat: StoredChat, world: World): object {
  const { shown, description, inviteLink, type } = chat
  const [newest = 0] = chat.pinned
  const pinned = chat.messages.get(newest)
  const hasPermissions = type === 'group' || type === 'supergroup'
  const isAdministrator = chat.botStatus === 'administrator'
  return {
    ...shown,
    ...(shown.username !== undefined && { active_usernames: [shown.username] }),
    ...(description !== '' && { description }),
    ...(isAdministrator && inviteLink !== undefined && { invite_link: inviteLink }),
    ...(pinned && { pinned_message: toMessage(pinned, world) }),
    ...(hasPermissions && { permissions: toPermissions(chat.permissions) }),
    accent_color_id: Math.abs(chat.id) % 7,
    max_reaction_count: REACTIONS_MAX,
    accepted_gift_types: NO_GIFTS,
  }
}

/** Cut to 128 characters; the same title again changes nothing. */
const setChatTitle: Method = ({ params }, deps) => {
  const { world } = deps
  const chat = world.accessChat(textOf(params, 'chat_id'), 'write')
  const title = cut(textOf(params, 'title'), TITLE_CHARS_MAX)
  if (title === '') throw badRequest('title must be non-empty')
  if (chat.type === 'private') throw badRequest("can't change private chat title")
  requireAdministrator(chat, 'not enough rights to change chat title')
  if (chat.shown.title === title) return { result: true }
  // No private chat, so it has a title.
  chat.shown = { ...chat.shown, title } as Chat
  const senderChat = chat.type === 'channel' ? chat.shown : undefined
  addServiceMessage(deps, chat, { new_chat_title: title }, { userId: world.bot.id, senderChat })
  world.emitChat(chat.id)
  return { result: true }
}

const setChatDescription: Method = ({ params }, { world }) => {
  const chat = world.accessChat(textOf(params, 'chat_id'), 'write')
  const description = cut(textOf(params, 'description'), DESCRIPTION_CHARS_MAX)
  if (chat.type === 'private') throw badRequest("can't change private chat description")
  requireAdministrator(chat, 'not enough rights to set chat description')
  if (chat.description === description) throw badRequest('chat description is not modified')
  chat.description = description
  world.emitChat(chat.id)
  return { result: true }
}

const setChatPermissions: Method = ({ params }, { world }) => {
  const permissions = readPermissions(params)
  const chat = world.accessChat(textOf(params, 'chat_id'), 'write')
  if (chat.type !== 'group' && chat.type !== 'supergroup') {
    throw badRequest(`can't change ${chat.type} chat permissions`)
  }
  requireAdministrator(chat, 'not enough rights to change chat permissions')
  chat.permissions = permissions
  world.emitChat(chat.id)
  return { result: true }
}

/** Makes a new link; the one before leads nowhere from then on. */
const exportChatInviteLink: Method = ({ params }, { world }) => {
  const chat = world.accessChat(textOf(params, 'chat_id'), 'write')
  if (chat.type === 'private') throw badRequest("can't invite members to a private chat")
  requireAdministrator(chat, 'not enough rights to manage chat invite link')
  chat.inviteLink = `https://t.me/+${randomBytes(12).toString('base64url')}`
  world.emitChat(chat.id)
  return { result: chat.inviteLink }
}

function cut(text: string, charsMax: number): string {
  return [...text.trim()].slice(0, charsMax).join('')
}

export const settingMethods = {
  getChat,
  setChatTitle,
  setChatDescription,
  setChatPermissions,
  exportChatInviteLink,
}
