import type { PrismaClient } from '../../../platform/database/generated/client.ts'
import { isSeparatedSql } from '../../telegram/inbox/is-separated.ts'
import type { Turn } from './turn.ts'

/** A turn whose reply is about to get a message. */
export type SendingTurn = Pick<Turn, 'id' | 'chatId' | 'threadId' | 'promptMessageId' | 'createdAt'>

/**
 * Records that a message of a reply is about to be sent: if the process dies now, the chat may have it.
 *
 * The message waits for this. So the statement also returns what decides how it is sent.
 *
 * @returns Whether the message would be separated from its question; undefined if another process answers the turn.
 */
export async function recordSending(
  prisma: Pick<PrismaClient, '$queryRaw'>,
  turn: SendingTurn,
  leaseOwner: number,
): Promise<boolean | undefined> {
  const [recorded] = await prisma.$queryRaw<{ isSeparated: boolean }[]>`
    UPDATE bot.turn SET sending_since = now() WHERE id = ${turn.id} AND lease_owner = ${leaseOwner}
    RETURNING ${isSeparatedSql(turn)} AS "isSeparated"`
  return recorded?.isSeparated
}
