import { Prisma } from '../../../platform/database/generated/client.ts'
import type { Calendar } from '../calendar.ts'

/** Returns whose counters a turn or an order of a user in a chat adds to: the user's, and the group's. */
export function spendersOf({ userId, chatId }: { userId: number; chatId: number }): bigint[] {
  return [...new Set([userId, ...(chatId < 0 ? [chatId] : [])])].map(BigInt)
}

/**
 * SQL that gives counters to those users and groups that have none yet: who spends holds their counters
 * (`reserve.ts`), and cannot hold what is not there. Returns the ids of those that had none.
 */
export function addSpenders(ids: readonly bigint[], calendar: Pick<Calendar, 'today'>): Prisma.Sql {
  return Prisma.sql`
    INSERT INTO bot.spender (id, day)
    SELECT subject.id, ${calendar.today()} FROM unnest(${[...ids]}::bigint[]) AS subject(id)
    WHERE NOT EXISTS (SELECT FROM bot.spender WHERE spender.id = subject.id)
    ORDER BY subject.id ON CONFLICT DO NOTHING RETURNING id`
}
