import type { UpdateQueue } from '../updates/update-queue.ts'
import type { ServiceFields } from './message.ts'
import { toMessage, toMessageUpdate } from './to-message.ts'
import type { NewMessage, StoredChat, World } from './world.ts'

/**
 * Adds a service message about a change in a chat. Every bot in the chat gets it, also the one that made the change.
 *
 * @param more The person who made it, unless it was the first member.
 * @returns Its id. The service message of a new topic is the first message of that topic.
 */
export function addServiceMessage(
  { world, queue }: { world: World; queue: UpdateQueue },
  chat: StoredChat,
  service: ServiceFields,
  more: Pick<NewMessage, 'senderChat' | 'threadId'> & { userId?: number | undefined } = {},
): number {
  const [creator = chat.id] = chat.members
  const { userId = creator, ...rest } = more
  const content = { service, text: '', entities: [] }
  const message = world.append({ chatId: chat.id, userId, content, ...rest })
  queue.enqueue(toMessageUpdate(toMessage(message, world)))
  return message.id
}
