import { hasTopics } from '../world/world.ts'
import type { ControlDeps } from './people.ts'
import { addServiceMessage } from './service-messages.ts'

const ICON_COLOR = 7_322_096

/** Topics of forums, and of private chats where the bot has them. General is none of them. */
export function createTopics(deps: ControlDeps) {
  const { world } = deps
  return { addTopic, closesTopic, deletesTopic }

  /** @returns The id of the thread, which is the id of the message that tells of it. */
  function addTopic(chatId: number, name: string): number {
    const chat = world.chatOf(chatId)
    if (!hasTopics(chat, world)) throw new Error(`Cannot add topic: chat ${chatId} has none`)
    const fields = { forum_topic_created: { name, icon_color: ICON_COLOR } }
    const threadId = addServiceMessage(deps, chat, fields)
    chat.topics.set(threadId, { isClosed: false })
    return threadId
  }

  /** Only administrators write there from now on. */
  function closesTopic(chatId: number, threadId: number): void {
    const chat = world.chatOf(chatId)
    const topic = chat.topics.get(threadId)
    if (topic === undefined) throw new Error(`Cannot close: no topic ${threadId}`)
    topic.isClosed = true
    addServiceMessage(deps, chat, { forum_topic_closed: {} }, { threadId })
  }

  /** With all its messages. Bots are not told of it. */
  function deletesTopic(chatId: number, threadId: number): void {
    const chat = world.chatOf(chatId)
    if (!chat.topics.delete(threadId)) throw new Error(`Cannot delete: no topic ${threadId}`)
    for (const message of [...chat.messages.values()]) {
      if (message.threadId === threadId || message.id === threadId) world.remove(message)
    }
  }
}

export type Topics = ReturnType<typeof createTopics>
