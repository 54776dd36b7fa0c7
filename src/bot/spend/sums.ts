import { Prisma, type PrismaClient } from '../../platform/database/generated/client.ts'
import { daySums, SUM_COLUMNS } from './charges.ts'

/** More are counted and not listed. The largest differences come first. */
const DIFFERENCES_MAX = 1_000

export interface SumDifference {
  userId: bigint
  /** The chat, day, kind and item. */
  key: string
  column: string
  /** The sum of the charges. */
  wanted: bigint
  kept: bigint
}

export interface SumsCheck {
  charges: number
  users: number
  amountMicroRub: bigint
  estimatedMicroRub: bigint
  writtenOffMicroRub: bigint
  reservedMicroRub: bigint
  differenceCount: number
  differences: SumDifference[]
}

/** Reads only. One statement sees both at one moment: while the bot runs, nothing differs. */
export async function checkSums(prisma: PrismaClient): Promise<SumsCheck> {
  const compared = SUM_COLUMNS.map((name) => `('${name}', wanted.${name}, kept.${name})`)
  const found = await prisma.$queryRaw<(SumDifference & { total: number })[]>`
    SELECT user_id AS "userId", concat_ws(' ', chat_id, day, kind, item) AS key, compared.name AS "column",
      coalesce(compared.wanted, 0)::bigint AS wanted, coalesce(compared.kept, 0)::bigint AS kept,
      (count(*) OVER ())::int AS total
    FROM (${daySums(Prisma.sql`bot.charge`)}) AS wanted
      FULL JOIN bot.spend_day AS kept USING (user_id, chat_id, day, kind, item),
      LATERAL (VALUES ${Prisma.raw(compared.join(', '))}) AS compared(name, wanted, kept)
    WHERE coalesce(compared.wanted, 0) <> coalesce(compared.kept, 0)
    ORDER BY abs(coalesce(compared.wanted, 0) - coalesce(compared.kept, 0)) DESC, 1, 2, 3
    LIMIT ${DIFFERENCES_MAX}`
  const [sums] = await prisma.$queryRaw<Omit<SumsCheck, 'differences' | 'differenceCount'>[]>`
    SELECT (SELECT count(*) FROM bot.charge)::int AS charges, count(DISTINCT user_id)::int AS users,
      coalesce(sum(amount_micro_rub), 0)::bigint AS "amountMicroRub",
      coalesce(sum(estimated_micro_rub), 0)::bigint AS "estimatedMicroRub",
      coalesce(sum(written_off_micro_rub), 0)::bigint AS "writtenOffMicroRub", (
        SELECT coalesce(sum(held_micro_rub), 0)::bigint FROM (
          SELECT held_micro_rub FROM bot.turn UNION ALL SELECT held_micro_rub FROM bot."order"
        ) AS open WHERE held_micro_rub IS NOT NULL
      ) AS "reservedMicroRub"
    FROM (${daySums(Prisma.sql`bot.charge`)}) AS days`
  if (sums === undefined) throw new TypeError('Cannot check sums: a sum without a row')
  const differences = found.map(({ total: _, ...difference }) => difference)
  return { ...sums, differenceCount: found[0]?.total ?? 0, differences }
}
