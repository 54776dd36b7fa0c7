import { toMessage, toMessageUpdate } from '../world/to-message.ts'
import type { NewMessage, ServiceFields, StoredChat } from '../world/world.ts'
import type { ControlDeps } from './people.ts'

/**
 * Adds a message that tells of a change in a chat. Every bot in the chat is told of it.
 *
 * @returns Its id. The message that tells of a new topic is the first one of that topic.
 */
export function addServiceMessage(
  { world, queue, changes }: ControlDeps,
  chat: StoredChat,
  fields: ServiceFields,
  more: Pick<NewMessage, 'senderChat' | 'threadId'> = {},
): number {
  const [by = chat.id] = chat.members
  const content = { kind: 'service', fields } as const
  const message = world.append({ chatId: chat.id, from: world.personOf(by), content, ...more })
  if (fields.forum_topic_created) message.threadId = message.id
  queue.enqueue(toMessageUpdate(toMessage(message, world)))
  changes.emit({ kind: 'sent', chatId: chat.id, messageId: message.id })
  return message.id
}
