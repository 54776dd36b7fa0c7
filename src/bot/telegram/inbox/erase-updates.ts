import { Prisma } from '../../../platform/database/generated/client.ts'

type Tx = Pick<Prisma.TransactionClient, '$executeRaw'>

/**
 * Drops the messages of a user that wait for a running answer: they are not to be answered any more.
 * One that is just being noted beside that answer would wait for it in a moment.
 */
export async function dropWaitingUpdates(tx: Tx, userId: number): Promise<void> {
  await tx.$executeRaw`
    UPDATE bot.update SET payload = NULL, released_at = coalesce(released_at, now()),
      handled_at = now(), lease_owner = NULL
    WHERE (lease_owner IS NULL OR is_beside) AND conversation_key IS NOT NULL
      AND ${isUnhandledOf(userId)}`
}

/**
 * Erases a user's messages that were parts of prompts, and updates that are not settled: none of them
 * is handled again after a crash.
 */
export async function eraseUpdates(tx: Tx, userId: number): Promise<void> {
  await tx.$executeRaw`
    DELETE FROM bot.prompt_part WHERE message #>> '{from,id}' = ${String(userId)}`
  await tx.$executeRaw`
    UPDATE bot.update SET payload = NULL, handled_at = now(), lease_owner = NULL
    WHERE released_at IS NOT NULL AND ${isUnhandledOf(userId)}`
}

function isUnhandledOf(userId: number): Prisma.Sql {
  return Prisma.sql`handled_at IS NULL AND ${String(userId)} = coalesce(
    payload #>> '{message,from,id}', payload #>> '{edited_message,from,id}',
    payload #>> '{callback_query,from,id}')`
}
