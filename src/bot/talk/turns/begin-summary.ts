import type { PrismaClient } from '../../../platform/database/generated/client.ts'
import { readFormat } from '../../people/chats.ts'
import type { Calendar } from '../../spend/calendar.ts'
import { addSpenders, spendersOf } from '../../spend/limits/reserve.ts'
import type { Prompt } from '../../telegram/addressing/to-prompt.ts'

export interface NewSummary {
  offer: Omit<Prompt, 'text' | 'sentAt'>
  conversationId: bigint
  model: string
  originKey: string
  calendar: Pick<Calendar, 'today'>
}

/**
 * Begins the turn that sums up a conversation, waiting, unless the conversation is gone. Safe to repeat.
 *
 * Invariant: the turn, its user's row and the counters of who may spend are stored by one transaction, and an offer
 * has one turn. It locks the user, the conversation, then the counters, as `begin-turn.ts` does.
 */
export async function beginSummary(
  prisma: Pick<PrismaClient, '$transaction'>,
  { offer, conversationId, model, originKey, calendar }: NewSummary,
): Promise<void> {
  const { chatId, threadId, messageId, user } = offer
  const { id: userId, languageCode = null } = user
  const names = { firstName: user.firstName, username: user.username ?? null }
  await prisma.$transaction(async (tx) => {
    await tx.user.upsert({
      where: { id: userId },
      create: { id: userId, languageCode, ...names },
      update: names,
      select: { id: true },
    })
    const found = await tx.$executeRaw`
      SELECT FROM bot.conversation WHERE id = ${conversationId} FOR KEY SHARE`
    if (found === 0) return
    await tx.$executeRaw`${addSpenders(spendersOf({ userId, chatId }), calendar)}`
    await tx.turn.createMany({
      data: {
        kind: 'summary',
        conversationId,
        userId,
        chatId,
        threadId,
        promptMessageId: messageId,
        model,
        format: await readFormat(tx, chatId),
        originKey,
        state: 'waiting',
        messageIds: [messageId],
      },
      skipDuplicates: true,
    })
  })
}
