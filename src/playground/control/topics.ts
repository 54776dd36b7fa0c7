import { unixTime } from '../wire/clock.ts'
import { toMessage, toMessageUpdate } from '../world/to-message.ts'
import { hasTopics, type Room, type ServiceFields } from '../world/world.ts'
import type { ControlDeps } from './people.ts'

const ICON_COLOR = 7_322_096

/** Topics of forums, and of private chats where the bot has them. General is none of them. */
export function createTopics({ world, queue, clock, changes }: ControlDeps) {
  return { addTopic, closesTopic, deletesTopic }

  /** @returns The id of the thread, which is the id of the message that tells of it. */
  function addTopic(chatId: number, name: string): number {
    const room = world.roomOf(chatId)
    if (!hasTopics(room, world)) throw new Error(`Cannot add topic: chat ${chatId} has none`)
    const threadId = tell(room, { forum_topic_created: { name, icon_color: ICON_COLOR } })
    room.topics.set(threadId, { name, isClosed: false })
    return threadId
  }

  /** Only administrators write there from now on. */
  function closesTopic(chatId: number, threadId: number): void {
    const room = world.roomOf(chatId)
    const topic = room.topics.get(threadId)
    if (topic === undefined) throw new Error(`Cannot close: no topic ${threadId}`)
    topic.isClosed = true
    tell(room, { forum_topic_closed: {} }, threadId)
  }

  /** With all its messages. Bots are not told of it. */
  function deletesTopic(chatId: number, threadId: number): void {
    const room = world.roomOf(chatId)
    if (!room.topics.delete(threadId)) throw new Error(`Cannot delete: no topic ${threadId}`)
    for (const message of [...room.messages.values()]) {
      if (message.threadId === threadId || message.id === threadId) world.remove(message)
    }
  }

  function tell(room: Room, fields: ServiceFields, threadId?: number): number {
    const [by = room.id] = room.members
    const message = world.append({
      chatId: room.id,
      from: world.personOf(by),
      date: unixTime(clock),
      content: { kind: 'service', fields },
      ...(threadId !== undefined && { threadId }),
    })
    message.threadId ??= message.id
    queue.enqueue(toMessageUpdate(toMessage(message, world)))
    changes.emit({ kind: 'sent', chatId: room.id, messageId: message.id })
    return message.id
  }
}

export type Topics = ReturnType<typeof createTopics>
