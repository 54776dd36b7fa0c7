import type { PrismaClient } from '../../../platform/database/generated/client.ts'

/**
 * Of which day each reader has the digest.
 *
 * Invariant: a reader has one digest a day, whichever processes send it and however often they begin anew.
 * Who moves the reader's row to the day sends; it goes back only where Telegram surely took nothing. A send
 * whose outcome a crash hid is not made again: a digest that is missing does less harm than two.
 */
export function createDigestDays(prisma: Pick<PrismaClient, '$queryRaw' | '$executeRaw'>) {
  return { readNow, readTold, begin, takeBack }

  /** The date and the hour that it is now, by the database's clock. */
  async function readNow(timeZone: string): Promise<{ day: string; hour: number }> {
    const [now] = await prisma.$queryRaw<{ day: string; hour: number }[]>`
      SELECT wall::date::text AS day, extract(hour FROM wall)::int AS hour
      FROM (SELECT now() AT TIME ZONE ${timeZone} AS wall) AS clock`
    if (now === undefined) throw new TypeError('Cannot read time: no row')
    return now
  }

  /** Who has the digest of the day. */
  async function readTold(day: string): Promise<ReadonlySet<number>> {
    const rows = await prisma.$queryRaw<{ userId: bigint }[]>`
      SELECT user_id AS "userId" FROM bot.digest WHERE day >= ${day}::date`
    return new Set(rows.map(({ userId }) => Number(userId)))
  }

  /** @returns False where the reader has it already. */
  async function begin(userId: number, day: string): Promise<boolean> {
    const written = await prisma.$executeRaw`
      INSERT INTO bot.digest AS last (user_id, day) VALUES (${userId}, ${day}::date)
      ON CONFLICT (user_id) DO UPDATE SET day = excluded.day WHERE last.day < excluded.day`
    return written === 1
  }

  async function takeBack(userId: number, day: string): Promise<void> {
    await prisma.$executeRaw`
      DELETE FROM bot.digest WHERE user_id = ${userId} AND day = ${day}::date`
  }
}
