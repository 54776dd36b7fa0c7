import type { PrismaClient } from '../../platform/database/generated/client.ts'

export type DigestDaysPrisma = Pick<PrismaClient, 'digest' | '$queryRaw' | '$executeRaw'>

/**
 * Keeps the day of each reader's latest digest.
 *
 * Invariant: a reader has one digest a day, however many processes send it and however often they restart.
 * The process that sets the reader's row to the day sends; the row is deleted only where Telegram surely took
 * nothing. A send whose outcome a crash hid is not repeated: a missing digest does less harm than two.
 */
export function createDigestDays(prisma: DigestDaysPrisma) {
  return { readNow, readReached, begin, takeBack }

  async function readNow(timeZone: string): Promise<{ day: string; hour: number }> {
    const [now] = await prisma.$queryRaw<{ day: string; hour: number }[]>`
      SELECT wall::date::text AS day, extract(hour FROM wall)::int AS hour
      FROM (SELECT now() AT TIME ZONE ${timeZone} AS wall) AS clock`
    if (now === undefined) throw new TypeError('Cannot read time: no row')
    return now
  }

  async function readReached(day: string): Promise<ReadonlySet<number>> {
    const rows = await prisma.digest.findMany({
      where: { day: { gte: new Date(day) } },
      select: { userId: true },
    })
    return new Set(rows.map(({ userId }) => Number(userId)))
  }

  /** Sets the reader's row to the day, if it is on an earlier one: in one statement, which decides who sends. */
  async function begin(userId: number, day: string): Promise<boolean> {
    const written = await prisma.$executeRaw`
      INSERT INTO bot.digest AS last (user_id, day) VALUES (${userId}, ${day}::date)
      ON CONFLICT (user_id) DO UPDATE SET day = excluded.day WHERE last.day < excluded.day`
    return written === 1
  }

  async function takeBack(userId: number, day: string): Promise<void> {
    await prisma.digest.deleteMany({ where: { userId, day: new Date(day) } })
  }
}
