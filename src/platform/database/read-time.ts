import type { PrismaClient } from './generated/client.ts'

/**
 * Reads the database's time: what is compared with an instant of its rows is by the same clock, even if the
 * date of this machine is wrong.
 */
export async function readTime(prisma: Pick<PrismaClient, '$queryRaw'>): Promise<Date> {
  const [row] = await prisma.$queryRaw<{ now: Date }[]>`SELECT clock_timestamp() AS now`
  if (row === undefined) throw new TypeError('Cannot read time: no row')
  return row.now
}
