import type { PrismaClient } from '../../../database/generated/client.ts'
import type { ChatThread } from '../../addressing/chat-thread.ts'
import { toLine } from './update-facts.ts'

/** Whether an update of a thread was taken up and holds up those after it, be it until another process takes it over. */
export async function isHeldUp(
  prisma: Pick<PrismaClient, 'update'>,
  thread: ChatThread,
): Promise<boolean> {
  const where = { line: toLine(thread), claimedAt: { not: null }, passedAt: null, partOf: null }
  return (await prisma.update.count({ where })) > 0
}
