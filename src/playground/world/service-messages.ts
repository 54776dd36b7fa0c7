import type { UpdateQueue } from '../updates/update-queue.ts'
import type { ServiceFields } from './message.ts'
import { toMessage, toMessageUpdate } from './to-message.ts'
import type { NewMessage, StoredChat, World } from './world.ts'

/**
 * Adds a message that tells of a change in a chat. Every bot in the chat is told of it, also the one
 * that made the change.
 *
 * @param more Who made it, unless it was the first member.
 * @returns Its id. The message that tells of a new topic is the first one of that topic.
 */
export function addServiceMessage(
  { world, queue }: { world: World; queue: UpdateQueue },
  chat: StoredChat,
  service: ServiceFields,
  more: Pick<NewMessage, 'senderChat' | 'threadId'> & { userId?: number | undefined } = {},
): number {
  const [creator = chat.id] = chat.members
  const { userId = creator, ...place } = more
  const content = { service, text: '', entities: [] }
  const message = world.append({ chatId: chat.id, userId, content, ...place })
  queue.enqueue(toMessageUpdate(toMessage(message, world)))
  return message.id
}
