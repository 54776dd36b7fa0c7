import type { PrismaClient } from '../../platform/database/generated/client.ts'

const TOLD_AGAIN_MS = 3600_000

/** What tells alerts apart. */
export interface AlertName {
  name: string
  /** When what it tells of went on last: it is told again only if that was after it had been told. Now by default. */
  causedAt?: Date | undefined
}

/**
 * Takes it upon this process to tell admins of something. Of each alert one process tells in an hour,
 * whichever hear of it and however often they begin anew: who writes the row tells.
 */
export async function claimAlert(
  { name, causedAt }: AlertName,
  { prisma }: { prisma: Pick<PrismaClient, '$executeRaw'> },
): Promise<boolean> {
  const written = await prisma.$executeRaw`
    INSERT INTO bot.alert AS last (name, told_at)
    VALUES (${name}, clock_timestamp())
    ON CONFLICT (name) DO UPDATE SET told_at = excluded.told_at
    WHERE last.told_at <= excluded.told_at - ${TOLD_AGAIN_MS}::int * interval '1 ms'
      AND last.told_at < coalesce(${causedAt ?? null}::timestamptz, excluded.told_at)`
  return written === 1
}
