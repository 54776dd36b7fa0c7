import type { PrismaClient } from '../../platform/database/generated/client.ts'
import { lockCharged, moveCharges } from '../spend/charges.ts'
import { moveLimits } from '../spend/limits.ts'

/**
 * Moves the rows of a group to the supergroup it became, in one transaction. Safe to repeat.
 *
 * A supergroup counts its messages from one again, so the old ids become negative: they must not be mistaken for new
 * ones, and the old messages cannot be edited.
 *
 * Orders and attempts keep the old chat in `origin_key`: the same update, handled once more, has the old chat as well.
 */
export async function moveChat(
  prisma: PrismaClient,
  { from, to }: { from: number; to: number },
): Promise<void> {
  await prisma.$transaction(async (tx) => {
    // Telegram reports the move in both chats, at once.
    await tx.$executeRaw`SELECT pg_advisory_xact_lock(${from})`
    await lockCharged(tx, from)
    await tx.conversation.updateMany({
      where: { chatId: from },
      // The supergroup may already have its own first conversation.
      data: { chatId: to, isFirst: false },
    })
    await tx.$executeRaw`
      UPDATE bot.turn SET chat_id = ${to}, prompt_message_id = -abs(prompt_message_id),
        message_ids = '{}'
      WHERE chat_id = ${from}`
    // The buttons of cards stay behind.
    await tx.order.deleteMany({ where: { chatId: from, state: 'draft' } })
    await tx.$executeRaw`
      UPDATE bot."order" SET chat_id = ${to}, reply_to_message_id = -abs(reply_to_message_id),
        status_message_id = NULL, result_message_id = NULL
      WHERE chat_id = ${from}`
    await tx.$executeRaw`
      INSERT INTO bot.chat (id, format)
      SELECT ${to}, format FROM bot.chat WHERE id = ${from}
      ON CONFLICT (id) DO UPDATE SET format = coalesce(chat.format, excluded.format)`
    await tx.chat.deleteMany({ where: { id: from } })
    // The group is also a user if its admins ask in its name.
    const group = await tx.user.findUnique({ where: { id: from } })
    if (group !== null) {
      const mediaSettings = group.mediaSettings ?? {}
      const data = [{ ...group, mediaSettings, id: BigInt(to) }]
      await tx.user.createMany({ data, skipDuplicates: true })
    }
    await moveLimits(tx, { from, to })
    await moveCharges(tx, { from, to })
    if (group === null) return
    const asked = { where: { userId: from }, data: { userId: to } }
    await tx.turn.updateMany(asked)
    await tx.order.updateMany(asked)
    await tx.message.updateMany({ where: { authorId: from }, data: { authorId: to } })
    await tx.user.delete({ where: { id: from } })
  })
}
