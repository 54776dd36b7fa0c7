import type { Prisma } from '../platform/database/generated/client.ts'

/**
 * Claims the right to send an alert once: of processes that claim at once, one sends.
 *
 * @param since An alert that was last sent before this instant is sent again.
 */
export async function claimAlert(
  prisma: Pick<Prisma.TransactionClient, '$executeRaw'>,
  name: string,
  since: Date,
): Promise<boolean> {
  const written = await prisma.$executeRaw`
    INSERT INTO bot.alert AS last (name, told_at) VALUES (${name}, clock_timestamp())
    ON CONFLICT (name) DO UPDATE SET told_at = excluded.told_at
    WHERE last.told_at < ${since}::timestamptz`
  return written === 1
}
