import type { ChatMember } from 'grammy/types'
import { badRequest } from '../../wire/envelope.ts'
import { boolOf, intOf, type Params, textOf } from '../../wire/params.ts'
import { isMember, memberOf, ownerOf } from '../../world/members.ts'
import { addServiceMessage } from '../../world/service-messages.ts'
import type { StoredChat, World } from '../../world/world.ts'
import type { Method, MethodDeps } from '../method.ts'
import { requireAdministrator } from './administrator.ts'
import { changeMember } from './change-member.ts'
import { findMember, readUserId } from './members.ts'
import { readPermissions } from './permissions.ts'

/** Shorter and longer than this is for good. */
const SECONDS_MIN = 30
const SECONDS_MAX = 366 * 86_400

/** Puts somebody out of a group or channel, to which they cannot come back before it is over. */
const banChatMember: Method = ({ params }, deps) => {
  const { world } = deps
  const userId = readUserId(params)
  const chat = world.accessChat(textOf(params, 'chat_id'), 'write')
  if (chat.type === 'private') throw badRequest("can't ban members in private chats")
  const member = findMember(chat, userId, world)
  checkMayRestrict(chat, member, world)
  const until_date = readUntilDate(params, world)
  changeMember(deps, chat, { status: 'kicked', user: member.user, until_date })
  if (boolOf(params, 'revoke_messages')) revoke(chat, userId, world)
  if (isMember(member) && chat.type !== 'channel') {
    addServiceMessage(deps, chat, { left_chat_member: member.user }, { userId: world.bot.id })
  }
  return { result: true }
}

/** Lets somebody come back; who is a member is put out, unless only bans are meant. */
const unbanChatMember: Method = ({ params }, deps) => {
  const { world } = deps
  const userId = readUserId(params)
  const chat = world.accessChat(textOf(params, 'chat_id'), 'write')
  requireLarge(chat)
  const member = findMember(chat, userId, world)
  if (boolOf(params, 'only_if_banned') && member.status !== 'kicked') return { result: true }
  if (member.status === 'left') return { result: true }
  checkMayRestrict(chat, member, world)
  changeMember(deps, chat, { status: 'left', user: member.user })
  return { result: true }
}

/** Restricts a person; one with every permission is a plain member again. */
const restrictChatMember: Method = ({ params }, deps) => {
  const { world } = deps
  const userId = readUserId(params)
  const permissions = readPermissions(params)
  const chat = world.accessChat(textOf(params, 'chat_id'), 'write')
  if (chat.type !== 'supergroup') throw badRequest('method is available only for supergroups')
  const member = findMember(chat, userId, world)
  checkMayRestrict(chat, member, world)
  const { user } = member
  const is_member = isMember(member)
  if (Object.values(permissions).every(Boolean)) {
    changeMember(deps, chat, is_member ? { status: 'member', user } : { status: 'left', user })
  } else {
    const until_date = readUntilDate(params, world)
    changeMember(deps, chat, { status: 'restricted', user, is_member, ...permissions, until_date })
  }
  return { result: true }
}

/** The bot leaves, and gets an update of it. */
const leaveChat: Method = ({ params }, deps) => {
  const { world, queue } = deps
  const chat = world.accessChat(textOf(params, 'chat_id'), 'read')
  if (chat.type === 'private') throw badRequest("can't leave private chats")
  const before = memberOf(chat, world.bot.id, world)
  if (chat.type !== 'channel') {
    addServiceMessage(deps, chat, { left_chat_member: world.bot }, { userId: world.bot.id })
  }
  chat.botStatus = 'left'
  world.emitChat(chat.id)
  queue.enqueue({
    my_chat_member: {
      chat: chat.shown,
      from: world.bot,
      date: world.unixTime(),
      old_chat_member: before,
      new_chat_member: memberOf(chat, world.bot.id, world),
    },
  })
  return { result: true }
}

export function requireLarge({ type }: StoredChat): void {
  const isLarge = type === 'supergroup' || type === 'channel'
  if (!isLarge) throw badRequest('method is available for supergroup and channel chats only')
}

/** An administrator is out of reach, unless the bot made them one. */
function checkMayRestrict(chat: StoredChat, member: ChatMember, world: World): void {
  if (member.user.id === world.bot.id) throw badRequest("can't restrict self")
  if (member.user.id === ownerOf(chat)) throw badRequest("can't remove chat owner")
  const complaint = 'not enough rights to restrict/unrestrict chat member'
  requireAdministrator(chat, chat.type === 'group' ? 'CHAT_ADMIN_REQUIRED' : complaint)
  const isForeign = member.status === 'administrator' && !member.can_be_edited
  if (isForeign) throw badRequest('user is an administrator of the chat')
}

/** 0 for good. */
function readUntilDate(params: Params, world: World): number {
  const untilDate = intOf(params, 'until_date', { min: 0, max: 2 ** 31 - 1 })
  const seconds = untilDate - world.unixTime()
  return seconds < SECONDS_MIN || seconds > SECONDS_MAX ? 0 : untilDate
}

function revoke(chat: StoredChat, userId: number, { remove }: MethodDeps['world']): void {
  for (const message of [...chat.messages.values()]) {
    if (message.userId === userId) remove(message)
  }
}

export const restrictionMethods = {
  banChatMember,
  kickChatMember: banChatMember,
  unbanChatMember,
  restrictChatMember,
  leaveChat,
}
