import type { ChatMember, ChatMemberAdministrator } from 'grammy/types'
import { badRequest } from '../../wire/envelope.ts'
import { type Params, textOf } from '../../wire/params.ts'
import { memberOf, ownerOf } from '../../world/members.ts'
import type { StoredChat, World } from '../../world/world.ts'
import type { Method } from '../method.ts'

const getChatMember: Method = ({ params }, { world }) => {
  const userId = readUserId(params)
  const chat = accessMembers(params, world, userId)
  return { result: findMember(chat, userId, world) }
}

/** The owner and the administrators; of the bots only this one. */
const getChatAdministrators: Method = ({ params }, { world }) => {
  const chat = accessMembers(params, world)
  if (chat.type === 'private') {
    throw badRequest('there are no administrators in the private chat')
  }
  const people = [...chat.members].map((userId) => memberOf(chat, userId, world))
  const all = [...people, memberOf(chat, world.bot.id, world)]
  return { result: all.filter(({ status }) => ['creator', 'administrator'].includes(status)) }
}

/** Counts the members, the bot included. */
const getChatMemberCount: Method = ({ params }, { world }) => ({
  result: accessMembers(params, world).members.size + 1,
})

/** @throws {ApiError} In channels where the bot is no administrator, except for itself. */
function accessMembers(params: Params, world: World, userId?: number): StoredChat {
  const chat = world.accessChat(textOf(params, 'chat_id'), 'read')
  const isHidden = chat.type === 'channel' && chat.botStatus !== 'administrator'
  if (isHidden && userId !== world.bot.id) throw badRequest('member list is inaccessible')
  return chat
}

export function readUserId(params: Params): number {
  const userId = Number.parseInt(textOf(params, 'user_id'), 10)
  if (!(userId > 0)) throw badRequest('invalid user_id specified')
  return userId
}

/** @throws {ApiError} For a user that the bot cannot know. */
export function findMember(chat: StoredChat, userId: number, world: World): ChatMember {
  const isKnown = userId === world.bot.id || world.people.has(userId)
  if (!isKnown) {
    const isBasic = chat.type === 'private' || chat.type === 'group'
    throw badRequest(isBasic ? 'user not found' : 'PARTICIPANT_ID_INVALID')
  }
  return memberOf(chat, userId, world)
}

/** Sets the words under an administrator's name; only the bot's own administrators have them. */
const setChatAdministratorCustomTitle: Method = ({ params }, { world }) => {
  const userId = readUserId(params)
  const chat = world.accessChat(textOf(params, 'chat_id'), 'write')
  if (chat.type !== 'supergroup') throw badRequest('method is available only for supergroups')
  const member = findMember(chat, userId, world)
  if (userId === ownerOf(chat)) throw badRequest('only creator can edit their custom title')
  if (member.status !== 'administrator') throw badRequest('user is not an administrator')
  if (!member.can_be_edited) {
    throw badRequest('not enough rights to change custom title of the user')
  }
  const titled: ChatMemberAdministrator = {
    ...member,
    custom_title: textOf(params, 'custom_title'),
  }
  chat.statuses.set(userId, titled)
  world.emitChat(chat.id)
  return { result: true }
}

export const memberMethods = {
  getChatMember,
  getChatAdministrators,
  getChatMemberCount,
  getChatMembersCount: getChatMemberCount,
  setChatAdministratorCustomTitle,
}
