import { Prisma, type PrismaClient } from '../../database/generated/client.ts'

/** What was spent in three stretches of time; what was taken back is taken off. */
export interface Spend {
  todayMicroRub: bigint
  monthMicroRub: bigint
  totalMicroRub: bigint
}

export interface OwnSpend extends Spend {
  /** The part of the total whose true cost is not known. */
  estimatedMicroRub: bigint
}

export interface UserSpend extends Spend {
  userId: bigint
  firstName: string
  username: string | null
}

/**
 * Reads the charges by the days and months of one time zone.
 *
 * PostgreSQL finds where they begin: a zone's rules change, and a day may have 23 hours.
 */
export function createSpendReports({
  prisma,
  timeZone,
  now,
}: {
  prisma: PrismaClient
  /** An IANA name: "Europe/Moscow". */
  timeZone: string
  /** The database's time by default. */
  now?: () => Date
}) {
  return { ofUser, byUser, writtenOff }

  /** One user's spend; zeros for one who has none. */
  async function ofUser(userId: bigint): Promise<OwnSpend> {
    const [spend] = await prisma.$queryRaw<OwnSpend[]>`
      SELECT ${sums()},
        coalesce(sum(amount_micro_rub) FILTER (WHERE estimated), 0)::bigint
          AS "estimatedMicroRub"
      FROM bot.charge, ${calendar()}
      WHERE user_id = ${userId}`
    if (!spend) throw new TypeError('Cannot read spend: a sum without a row')
    return spend
  }

  /** Everybody who was ever charged, who spent most this month first. */
  function byUser(): Promise<UserSpend[]> {
    return prisma.$queryRaw<UserSpend[]>`
      SELECT "user".id AS "userId", first_name AS "firstName", username, ${sums()}
      FROM bot.charge JOIN bot."user" ON "user".id = user_id, ${calendar()}
      GROUP BY "user".id
      ORDER BY "monthMicroRub" DESC, "totalMicroRub" DESC, "user".id`
  }

  /** What users have back although the service kept it: with their spend, it is what the service charged. */
  async function writtenOff(): Promise<Spend> {
    const [written] = await prisma.$queryRaw<Spend[]>`
      SELECT ${sums(Prisma.sql`-amount_micro_rub`)} FROM bot.charge, ${calendar()}
      WHERE written_off`
    if (!written) throw new TypeError('Cannot read write-offs: a sum without a row')
    return written
  }

  function sums(amount = Prisma.sql`amount_micro_rub`): Prisma.Sql {
    return Prisma.sql`
      coalesce(sum(${amount}) FILTER (WHERE charge.created_at >= day_start
        AND charge.created_at < day_end), 0)::bigint AS "todayMicroRub",
      coalesce(sum(${amount}) FILTER (WHERE charge.created_at >= month_start
        AND charge.created_at < month_end), 0)::bigint AS "monthMicroRub",
      coalesce(sum(${amount}), 0)::bigint AS "totalMicroRub"`
  }

  /** One row: the instants between which it is today, and this month, on the zone's wall clock. */
  function calendar(): Prisma.Sql {
    return Prisma.sql`(
      SELECT
        date_trunc('day', wall) AT TIME ZONE ${timeZone} AS day_start,
        (date_trunc('day', wall) + interval '1 day') AT TIME ZONE ${timeZone} AS day_end,
        date_trunc('month', wall) AT TIME ZONE ${timeZone} AS month_start,
        (date_trunc('month', wall) + interval '1 month') AT TIME ZONE ${timeZone} AS month_end
      FROM (SELECT ${now ? now() : Prisma.sql`now()`}::timestamptz AT TIME ZONE ${timeZone} AS wall) AS clock
    ) AS calendar`
  }
}

export type SpendReports = ReturnType<typeof createSpendReports>
