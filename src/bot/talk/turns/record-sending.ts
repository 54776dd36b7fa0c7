import type { PrismaClient } from '../../../platform/database/generated/client.ts'
import { isSeparatedSql } from '../../telegram/inbox/is-separated.ts'
import type { Turn } from './turn.ts'

/** A turn of whose reply a message is about to be sent. */
export type SendingTurn = Pick<Turn, 'id' | 'chatId' | 'threadId' | 'promptMessageId' | 'createdAt'>

/**
 * Notes that a message of a reply is about to be sent: if the process dies now, it may stand there.
 *
 * The message waits for this. So the statement also tells, as it is by then, what decides how it is sent.
 *
 * @returns Whether the message would stand apart from its question; undefined if another process answers the turn.
 */
export async function recordSending(
  prisma: Pick<PrismaClient, '$queryRaw'>,
  turn: SendingTurn,
  leaseOwner: number,
): Promise<boolean | undefined> {
  const [noted] = await prisma.$queryRaw<{ isApart: boolean }[]>`
    UPDATE bot.turn SET sending_since = now() WHERE id = ${turn.id} AND lease_owner = ${leaseOwner}
    RETURNING ${isSeparatedSql(turn)} AS "isApart"`
  return noted?.isApart
}
