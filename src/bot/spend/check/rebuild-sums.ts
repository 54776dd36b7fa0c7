import { Prisma, type PrismaClient } from '../../../platform/database/generated/client.ts'
import { rebuildFinishedDates } from '../charges/finished-dates.ts'
import { SUM_COLUMNS } from '../charges/sums.ts'
import { rebuildCounters, trueDays, trueTotals } from '../charges/true-sums.ts'

/** How many users' sums one transaction rebuilds: the writers of their charges wait for it. */
const BATCH_SIZE = 100

const NAMES = Prisma.raw(SUM_COLUMNS.join(', '))

/**
 * Makes all sums and counters from the charges and reservations, while the bot runs.
 *
 * A user's sums change only under the lock of their row of `spender` (`charges/record-charges.ts`), so that
 * row is locked first, and the charges are read after it: a charge that is being written is either
 * committed and read, or added by its writer, who waits. Safe to repeat.
 *
 * @returns How many users and groups were gone through.
 */
export async function rebuildSums(prisma: PrismaClient): Promise<number> {
  const subjects = await prisma.$queryRaw<{ id: bigint }[]>`
    SELECT user_id AS id FROM bot.charge UNION SELECT chat_id FROM bot.charge WHERE chat_id < 0
    UNION SELECT user_id FROM bot.reservation
    UNION SELECT chat_id FROM bot.reservation WHERE chat_id < 0
    UNION SELECT user_id FROM bot.spend_day UNION SELECT user_id FROM bot.spend_total
    UNION SELECT id FROM bot.spender ORDER BY id`
  const ids = subjects.map(({ id }) => id)
  await inBatches(ids, (tx, batch) => rebuildBatch(tx, batch))
  // A group's counters are made from the sums of all users, and those came later.
  const groups = ids.filter((id) => id < 0n)
  await inBatches(groups, async (tx, batch) => {
    await lockSpenders(tx, batch)
    await rebuildCounters(tx, batch)
  })
  await prisma.$transaction(rebuildFinishedDates, { timeout: 60_000 })
  return ids.length

  async function inBatches(
    all: readonly bigint[],
    rebuild: (tx: Prisma.TransactionClient, batch: bigint[]) => Promise<void>,
  ): Promise<void> {
    for (let start = 0; start < all.length; start += BATCH_SIZE) {
      const batch = all.slice(start, start + BATCH_SIZE)
      await prisma.$transaction((tx) => rebuild(tx, batch), { timeout: 60_000 })
    }
  }
}

async function rebuildBatch(tx: Prisma.TransactionClient, ids: bigint[]): Promise<void> {
  await lockSpenders(tx, ids)
  const ofThem = Prisma.sql`user_id = ANY(${ids})`
  await tx.$executeRaw`DELETE FROM bot.spend_day WHERE ${ofThem}`
  await tx.$executeRaw`DELETE FROM bot.spend_total WHERE ${ofThem}`
  await tx.$executeRaw`
    INSERT INTO bot.spend_day (user_id, chat_id, day, kind, item, ${NAMES}) ${trueDays(ofThem)}`
  await tx.$executeRaw`
    INSERT INTO bot.spend_total (user_id, chat_id, kind, item, ${NAMES})
    ${trueTotals(Prisma.sql`(SELECT * FROM bot.spend_day WHERE ${ofThem}) AS days`)}`
  await rebuildCounters(tx, ids)
}

/**
 * Locks the rows in order, as every writer does; a user without a row gets one. No counter stays on a day before the
 * last charge.
 */
async function lockSpenders(tx: Prisma.TransactionClient, ids: bigint[]): Promise<void> {
  await tx.$executeRaw`
    INSERT INTO bot.spender (id, day)
    SELECT subject.id, coalesce(last.day, '1970-01-01')
    FROM unnest(${ids}::bigint[]) AS subject(id), LATERAL (
      SELECT max(day) AS day FROM bot.charge
      WHERE user_id = subject.id OR chat_id = subject.id AND chat_id < 0
    ) AS last
    ORDER BY subject.id
    ON CONFLICT (id) DO UPDATE SET day = greatest(spender.day, excluded.day)`
}
