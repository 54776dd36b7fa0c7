import type { PrismaClient } from '../../../platform/database/generated/client.ts'
import type { ChatThread } from '../addressing/chat-thread.ts'
import { toConversationKey } from './update-facts.ts'

/**
 * Checks whether an update of a chat thread was leased for its turn and holds up those after it, be it until
 * another process takes it over.
 */
export async function isHeldUp(
  prisma: Pick<PrismaClient, 'update'>,
  thread: ChatThread,
): Promise<boolean> {
  const conversationKey = toConversationKey(thread)
  const isLeased = { leasedAt: { not: null }, isBeside: false }
  const where = { conversationKey, ...isLeased, releasedAt: null, partOf: null }
  return (await prisma.update.count({ where })) > 0
}
