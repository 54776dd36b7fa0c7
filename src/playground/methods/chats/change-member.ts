import type { ChatMember } from 'grammy/types'
import { isMember, memberOf } from '../../world/members.ts'
import type { StoredChat } from '../../world/world.ts'
import type { MethodDeps } from '../method.ts'

/** Changes the status of a person in a chat. The bot gets an update, if it asked for such. */
export function changeMember(
  { world, queue }: Pick<MethodDeps, 'world' | 'queue'>,
  chat: StoredChat,
  after: ChatMember,
): void {
  const { id } = after.user
  const before = memberOf(chat, id, world)
  if (after.status === 'member' || after.status === 'left') chat.statuses.delete(id)
  else chat.statuses.set(id, after)
  if (isMember(after)) chat.members.add(id)
  else chat.members.delete(id)
  world.emitChat(chat.id)
  queue.enqueue({
    chat_member: {
      chat: chat.shown,
      from: world.bot,
      date: world.unixTime(),
      old_chat_member: before,
      new_chat_member: after,
    },
  })
}
