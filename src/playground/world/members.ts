import type { ChatMember } from 'grammy/types'
import { toBotMember } from './bot.ts'
import type { StoredChat, World } from './world.ts'

/** A user's membership in a chat; a ban or restriction that is over is forgotten. */
export function memberOf(chat: StoredChat, userId: number, world: World): ChatMember {
  if (userId === world.bot.id) return toBotMember(chat.botStatus, world.bot)
  const { user } = world.personOf(userId)
  const status = statusOf(chat, userId, world.unixTime())
  if (status) return { ...status, user }
  if (!chat.members.has(userId)) return { status: 'left', user }
  const isOwner = userId === ownerOf(chat)
  return isOwner ? { status: 'creator', user, is_anonymous: false } : { status: 'member', user }
}

/** @returns Undefined in a private chat, which has no owner. */
export function ownerOf({ type, members }: StoredChat): number | undefined {
  const [owner] = members
  return type === 'private' ? undefined : owner
}

/** Checks whether a user is in a group. */
export function isMember({ status, ...more }: ChatMember): boolean {
  if (status === 'restricted') return 'is_member' in more && more.is_member
  return status !== 'left' && status !== 'kicked'
}

function statusOf(chat: StoredChat, userId: number, now: number): ChatMember | undefined {
  const status = chat.statuses.get(userId)
  const isTemporary = status?.status === 'kicked' || status?.status === 'restricted'
  const isOver = isTemporary && status.until_date > 0 && status.until_date <= now
  if (isOver) chat.statuses.delete(userId)
  return isOver ? undefined : status
}
