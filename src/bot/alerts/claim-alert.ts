import type { PrismaClient } from '../../database/generated/client.ts'
import type { Trouble } from './service-troubles.ts'

const TOLD_AGAIN_MS = 3600_000

/**
 * Takes it upon this process to tell of a trouble. Of each one process tells in an hour, whichever
 * hear of it and however often they begin anew: who writes the row tells.
 */
export async function claimAlert(
  trouble: Trouble,
  { prisma }: { prisma: Pick<PrismaClient, '$executeRaw'> },
): Promise<boolean> {
  const written = await prisma.$executeRaw`
    INSERT INTO bot.service_trouble AS last (name, told_at)
    VALUES (${trouble}, clock_timestamp())
    ON CONFLICT (name) DO UPDATE SET told_at = excluded.told_at
    WHERE last.told_at <= excluded.told_at - ${TOLD_AGAIN_MS}::int * interval '1 ms'`
  return written === 1
}
