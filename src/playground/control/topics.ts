import { addServiceMessage } from '../world/service-messages.ts'
import { hasTopics } from '../world/world.ts'
import type { ControlDeps } from './people.ts'

const ICON_COLOR = 7_322_096
const NAME = 'New topic'

/** Topics of forums, and of private chats where the bot has them. General is none of them. */
export function createTopics(deps: ControlDeps) {
  const { world } = deps
  return { addTopic, renamesTopic, topicName, closesTopic, reopensTopic, deletesTopic }

  /**
   * @param name Telegram makes one up where a person gave none.
   * @param userId The person who made it; by default the one who made the chat.
   * @returns The id of the thread, which is the id of its service message.
   */
  function addTopic(chatId: number, name?: string, userId?: number): number {
    const chat = world.chatOf(chatId)
    if (!hasTopics(chat, world)) throw new Error(`Cannot add topic: chat ${chatId} has none`)
    const implicit = name === undefined && ({ is_name_implicit: true } as const)
    const created = { name: name ?? NAME, icon_color: ICON_COLOR, ...implicit }
    const fields = { forum_topic_created: created }
    const threadId = addServiceMessage(deps, chat, fields, { userId })
    chat.topics.set(threadId, { name: created.name, isClosed: false })
    world.emitChat(chatId)
    return threadId
  }

  /** @param userId Who does it; by default the one who made the chat. So with the two below. */
  function renamesTopic(chatId: number, threadId: number, name: string, userId?: number): void {
    const chat = world.chatOf(chatId)
    topicOf(chatId, threadId).name = name
    world.emitChat(chatId)
    addServiceMessage(deps, chat, { forum_topic_edited: { name } }, { threadId, userId })
  }

  function topicName(chatId: number, threadId: number): string {
    return topicOf(chatId, threadId).name
  }

  /** Only administrators write there from now on. */
  function closesTopic(chatId: number, threadId: number, userId?: number): void {
    const chat = world.chatOf(chatId)
    topicOf(chatId, threadId).isClosed = true
    world.emitChat(chatId)
    addServiceMessage(deps, chat, { forum_topic_closed: {} }, { threadId, userId })
  }

  function reopensTopic(chatId: number, threadId: number, userId?: number): void {
    const chat = world.chatOf(chatId)
    topicOf(chatId, threadId).isClosed = false
    world.emitChat(chatId)
    addServiceMessage(deps, chat, { forum_topic_reopened: {} }, { threadId, userId })
  }

  /** Deletes a topic with all its messages. Bots get no update of it. */
  function deletesTopic(chatId: number, threadId: number): void {
    const chat = world.chatOf(chatId)
    if (!chat.topics.delete(threadId)) throw new Error(`Cannot delete: no topic ${threadId}`)
    for (const message of [...chat.messages.values()]) {
      if (message.threadId === threadId || message.id === threadId) world.remove(message)
    }
    world.emitChat(chatId)
  }

  function topicOf(chatId: number, threadId: number) {
    const topic = world.chatOf(chatId).topics.get(threadId)
    if (topic === undefined) throw new Error(`Chat ${chatId} has no topic ${threadId}`)
    return topic
  }
}

export type Topics = ReturnType<typeof createTopics>
