import { Composer } from 'grammy'
import type { PrismaClient } from '../../../platform/database/generated/client.ts'
import { type ChatThread, threadOf } from '../../telegram/addressing/chat-thread.ts'
import type { BotContext } from '../../telegram/addressing/sender.ts'
import type { Outbox } from '../../telegram/outbox/outbox.ts'
import type { ConversationList } from './conversation-list.ts'
import { titleOf } from './conversation-title.ts'
import type { Conversations } from './conversations.ts'

export interface TopicNamesDeps {
  prisma: Pick<PrismaClient, 'conversation'>
  conversations: Pick<Conversations, 'current'>
  conversationList: Pick<ConversationList, 'find'>
  outbox: Pick<Outbox, 'nameTopic'>
}

/**
 * The names of topics in private chats. A client opens one without a name; the first question there
 * names it, unless its user does so before.
 */
export function createTopicNames({
  prisma,
  conversations,
  conversationList,
  outbox,
}: TopicNamesDeps) {
  return { updates: listen(), name }

  function listen(): Composer<BotContext> {
    const composer = new Composer<BotContext>()
    const inPrivate = composer.chatType('private')
    inPrivate.on('message:forum_topic_created', async ({ message }) => {
      if (!message.forum_topic_created.is_name_implicit) return
      const { id } = await conversations.current(threadOf(message))
      await prisma.conversation.updateMany({ where: { id }, data: { namesTopic: true } })
    })
    inPrivate.on('message:forum_topic_edited', ({ message }) => forget(threadOf(message)))
    return composer
  }

  async function name({ chatId, threadId }: ChatThread): Promise<void> {
    const mayWait = threadId !== 0 && chatId > 0
    const where = { chatId, threadId, namesTopic: true }
    const waiting = mayWait ? await prisma.conversation.findFirst({ where }) : null
    const asked = waiting && (await conversationList.find({ chatId, threadId }, waiting.id))
    if (!asked) return
    await outbox.nameTopic({ chatId, threadId }, titleOf(asked))
    await forget({ chatId, threadId })
  }

  async function forget({ chatId, threadId }: ChatThread): Promise<void> {
    const where = { chatId, threadId, namesTopic: true }
    await prisma.conversation.updateMany({ where, data: { namesTopic: false } })
  }
}

export type TopicNames = ReturnType<typeof createTopicNames>
