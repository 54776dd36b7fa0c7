import { Prisma, type PrismaClient } from '../../../platform/database/generated/client.ts'
import type { Admission, UserRole } from '../../../platform/database/generated/enums.ts'
import type { Calendar } from '../calendar.ts'
import { counterOn } from '../charges/sums.ts'
import { isMeantBy } from './find-users.ts'

/** A user whom the bot knows, with what a list shows of them. */
export interface SeenUser {
  id: bigint
  firstName: string
  username: string | null
  admission: Admission | null
  role: UserRole | null
  /** When they last wrote to the bot or pressed a button; null where that was not kept. */
  seenAt: Date | null
  monthMicroRub: bigint
}

/**
 * Lists everybody who ever wrote to the bot, or those whom a search means, who was there last first.
 *
 * @returns Up to one more than `take`, by which the caller knows that there is a next page.
 */
export function listKnownUsers(
  prisma: Pick<PrismaClient, '$queryRaw'>,
  { search, skip, take }: { search: string; skip: number; take: number },
  calendar: Pick<Calendar, 'today'>,
): Promise<SeenUser[]> {
  return prisma.$queryRaw`
    SELECT id, first_name AS "firstName", username, admission::text, role::text,
      seen_at AS "seenAt",
      coalesce(${counterOn('month', calendar.today(), 'spender')}, 0)::bigint AS "monthMicroRub"
    FROM bot."user" LEFT JOIN bot.spender USING (id)
    WHERE ${isMeantBy(search) ?? Prisma.sql`true`}
    ORDER BY seen_at DESC NULLS LAST, id LIMIT ${take + 1} OFFSET ${skip}`
}
