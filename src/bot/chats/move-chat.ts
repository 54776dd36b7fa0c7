import type { PrismaClient } from '../../database/generated/client.ts'

/**
 * Moves everything that is kept of a group to the supergroup it became, in one transaction.
 *
 * Safe to repeat: what was moved is not found again. Messages are counted anew in a supergroup, so
 * the numbers of the old ones are turned negative: a new message with the number of an old one must
 * not be taken for it, and none of the old ones can be edited any more.
 */
export async function moveChat(
  prisma: PrismaClient,
  { from, to }: { from: number; to: number },
): Promise<void> {
  await prisma.$transaction(async (tx) => {
    await tx.$executeRaw`UPDATE bot.conversation SET chat_id = ${to} WHERE chat_id = ${from}`
    await tx.$executeRaw`
      UPDATE bot.turn SET chat_id = ${to}, prompt_message_id = -abs(prompt_message_id),
        message_ids = '{}'
      WHERE chat_id = ${from}`
    await tx.$executeRaw`
      UPDATE bot."order" SET chat_id = ${to}, command_message_id = -abs(command_message_id),
        status_message_id = NULL, clip_message_id = NULL
      WHERE chat_id = ${from}`
    await tx.$executeRaw`DELETE FROM bot.prompt_part WHERE chat_id = ${from}`
    await tx.$executeRaw`DELETE FROM bot.chat WHERE id = ${from}`
    // The group is a user as well where its admins ask in its name.
    await tx.$executeRaw`
      INSERT INTO bot."user" (id, first_name, username, language_code, language, admission,
        admission_by_id, admission_at, admission_told_at, created_at)
      SELECT ${to}, first_name, username, language_code, language, admission,
        admission_by_id, admission_at, admission_told_at, created_at
      FROM bot."user" WHERE id = ${from}
      ON CONFLICT (id) DO NOTHING`
    await tx.$executeRaw`UPDATE bot.turn SET user_id = ${to} WHERE user_id = ${from}`
    await tx.$executeRaw`UPDATE bot."order" SET user_id = ${to} WHERE user_id = ${from}`
    await tx.$executeRaw`UPDATE bot.charge SET user_id = ${to} WHERE user_id = ${from}`
    await tx.$executeRaw`DELETE FROM bot."user" WHERE id = ${from}`
  })
}
