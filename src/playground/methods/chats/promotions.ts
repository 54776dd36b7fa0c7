import type { ChatAdministratorRights, ChatMemberAdministrator, User } from 'grammy/types'
import { badRequest } from '../../wire/envelope.ts'
import { boolOf, type Params, textOf } from '../../wire/params.ts'
import { isMember, ownerOf } from '../../world/members.ts'
import type { StoredChat } from '../../world/world.ts'
import type { Method } from '../method.ts'
import { requireAdministrator } from './administrator.ts'
import { changeMember } from './change-member.ts'
import { findMember, readUserId } from './members.ts'
import { requireLarge } from './restrictions.ts'

const RIGHTS = [
  'can_delete_messages',
  'can_manage_video_chats',
  'can_restrict_members',
  'can_promote_members',
  'can_change_info',
  'can_invite_users',
  'can_post_stories',
  'can_edit_stories',
  'can_delete_stories',
  'can_send_welcome_messages',
] as const
const GROUP_RIGHTS = ['can_pin_messages', 'can_manage_topics'] as const
const CHANNEL_RIGHTS = ['can_post_messages', 'can_edit_messages'] as const

/** Makes a member an administrator with these rights, or without any a plain member again. */
const promoteChatMember: Method = ({ params }, deps) => {
  const { world } = deps
  const userId = readUserId(params)
  const chat = world.accessChat(textOf(params, 'chat_id'), 'write')
  requireLarge(chat)
  const member = findMember(chat, userId, world)
  const rights = readRights(params, chat.type)
  if (userId === ownerOf(chat)) throw badRequest("can't remove chat owner")
  if (userId === world.bot.id) throw badRequest("can't promote self")
  requireAdministrator(chat, 'not enough rights')
  const isForeign = member.status === 'administrator' && !member.can_be_edited
  if (isForeign) throw badRequest('CHAT_ADMIN_REQUIRED')
  if (!isMember(member)) throw badRequest('USER_NOT_PARTICIPANT')
  const { user } = member
  if (rights.can_manage_chat) changeMember(deps, chat, toAdministrator(user, rights))
  else if (member.status === 'administrator') changeMember(deps, chat, { status: 'member', user })
  return { result: true }
}

/** Any right brings `can_manage_chat` along. */
export function readRights(params: Params, type: StoredChat['type']): ChatAdministratorRights {
  const own: readonly (keyof ChatAdministratorRights)[] =
    type === 'channel' ? CHANNEL_RIGHTS : GROUP_RIGHTS
  const names = [...RIGHTS, ...own]
  const given = names.filter((name) => boolOf(params, name))
  if (boolOf(params, 'can_manage_voice_chats')) given.push('can_manage_video_chats')
  const isAnonymous = boolOf(params, 'is_anonymous')
  const isAny = given.length > 0 || isAnonymous || boolOf(params, 'can_manage_chat')
  const rights = names.map((name) => [name, given.includes(name)])
  const common = { is_anonymous: isAnonymous, can_manage_chat: isAny }
  // Every right was named above.
  return { ...common, ...Object.fromEntries(rights) } as ChatAdministratorRights
}

function toAdministrator(user: User, rights: ChatAdministratorRights): ChatMemberAdministrator {
  return { status: 'administrator', user, can_be_edited: true, ...rights }
}

export const promotionMethods = { promoteChatMember }
