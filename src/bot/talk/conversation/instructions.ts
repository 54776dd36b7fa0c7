import type { PrismaClient } from '../../../platform/database/generated/client.ts'
import type { ChatThread } from '../../telegram/addressing/chat-thread.ts'
import { currentConversation } from './conversations.ts'

/** The longest instruction, in Unicode code points: with a line above it one message has room for it. */
export const INSTRUCTION_CHARS_MAX = 4_000

/**
 * Stores the instructions that users give the model for a conversation: each is a system message without a turn,
 * which the model reads first, right after the bot's own.
 */
export function createInstructions(prisma: PrismaClient) {
  return { read, set }

  async function read(thread: ChatThread): Promise<string | undefined> {
    return prisma.$transaction(async (tx) => {
      const { id: conversationId } = await currentConversation(tx, thread)
      const where = { conversationId, turnId: null, role: 'system' } as const
      return (await tx.message.findFirst({ where, select: { content: true } }))?.content
    })
  }

  async function set(
    thread: ChatThread,
    instruction: { content: string; authorId: number } | undefined,
  ): Promise<boolean> {
    return prisma.$transaction(async (tx) => {
      const { id: conversationId } = await currentConversation(tx, thread)
      const message = { conversationId, turnId: null, role: 'system' } as const
      const { count } = await tx.message.deleteMany({ where: message })
      if (instruction) await tx.message.create({ data: { ...message, ...instruction } })
      return count > 0
    })
  }
}

export type Instructions = ReturnType<typeof createInstructions>
