import type { ServiceFields } from '../world/message.ts'
import { toMessage, toMessageUpdate } from '../world/to-message.ts'
import type { NewMessage, StoredChat } from '../world/world.ts'
import type { ControlDeps } from './people.ts'

/**
 * Adds a message that tells of a change in a chat. Every bot in the chat is told of it.
 *
 * @returns Its id. The message that tells of a new topic is the first one of that topic.
 */
export function addServiceMessage(
  { world, queue }: ControlDeps,
  chat: StoredChat,
  service: ServiceFields,
  more: Pick<NewMessage, 'senderChat' | 'threadId'> = {},
): number {
  const [userId = chat.id] = chat.members
  const content = { service, text: '', entities: [] }
  const message = world.append({ chatId: chat.id, userId, content, ...more })
  queue.enqueue(toMessageUpdate(toMessage(message, world)))
  return message.id
}
