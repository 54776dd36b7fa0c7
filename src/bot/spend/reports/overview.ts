import {
  type ChargeKind,
  Prisma,
  type PrismaClient,
} from '../../../platform/database/generated/client.ts'
import { allDates, readLastFinishedDate } from '../charges/finished-dates.ts'
import { type DateRange, listDates } from './span.ts'
import {
  addSpend,
  matches,
  NO_SPEND,
  SPEND_COLUMNS,
  type Spend,
  type SpendFilter,
  takeSpend,
} from './spend.ts'

/** How many dates of all time are listed one by one: the last ones. */
const DATES_MAX = 366

export interface UserName {
  /** Below zero: a group that asked in its own name. */
  id: bigint
  /** Empty where the user had everything erased. */
  firstName: string
  username: string | null
}

export interface UserSpend {
  user: UserName
  spend: Spend
}

export interface DaySpend {
  day: string
  amountMicroRub: bigint
  byKind: ReadonlyMap<ChargeKind, bigint>
}

/** A spend by user, day, kind and item. Each list adds up to `sum`. */
export interface Spenders extends DateRange {
  sum: Spend
  /** The largest spend comes first, as in the next two. */
  byKind: { kind: ChargeKind; spend: Spend }[]
  byItem: { item: string; spend: Spend }[]
  users: UserSpend[]
  rest: { users: number; spend: Spend }
}

/** The same with the days, which add up to `sum` as well, but where they are of all time and more than a year. */
export interface Overview extends Spenders {
  /** Every date of the range, also where nothing was spent. */
  byDay: DaySpend[]
}

/** The page of users that an overview names. */
export interface UserPage {
  skip: number
  take: number
}

/** A user's, a date's and kind's, or an item's and kind's: what it is not of is null. */
interface SpentRow extends Spend {
  userId: bigint | null
  day: string | null
  kind: ChargeKind | null
  item: string | null
  firstName: string | null
  username: string | null
  users: number
}

type Reader = Pick<PrismaClient, '$queryRaw'>

export interface SpendersAsked {
  range: DateRange
  filter: SpendFilter
  page: UserPage
}

/** Reads who spent, and for what, in one statement: its lists agree also when something is charged meanwhile. */
export async function readSpenders(prisma: Reader, asked: SpendersAsked): Promise<Spenders> {
  return toSpenders(await readRows(prisma, asked), asked.range)
}

/** The same with the days: of all time that is much more to read. */
export async function readOverview(prisma: Reader, asked: SpendersAsked): Promise<Overview> {
  const rows = await readRows(prisma, asked, { withDays: true })
  return { ...toSpenders(rows, asked.range), byDay: toDays(rows, asked.range) }
}

async function readRows(
  prisma: Reader,
  { range, filter, page }: SpendersAsked,
  { withDays = false } = {},
): Promise<SpentRow[]> {
  const { ofUsers, ofItems, ofDays } = await chooseSums(prisma, { range, filter })
  const which = isAsked(range, filter)
  const days = Prisma.sql`
    UNION ALL
    SELECT NULL, day::text, kind, NULL, ${SPEND_COLUMNS} FROM ${ofDays} WHERE ${which} GROUP BY day, kind`
  // Users are put in order by one sum, and all sums are read of those who are named: half the work of all sums.
  return prisma.$queryRaw<SpentRow[]>`
    WITH ranked AS MATERIALIZED (
      SELECT user_id, sum(amount_micro_rub) AS amount FROM ${ofUsers} WHERE ${which} GROUP BY user_id
    ),
    shown AS (
      SELECT user_id AS "userId", NULL AS day, NULL::bot.charge_kind AS kind, NULL AS item, ${SPEND_COLUMNS}
      FROM ${ofUsers}
      WHERE ${which} AND user_id = ANY (ARRAY(
        SELECT user_id FROM ranked ORDER BY amount DESC, user_id LIMIT ${page.take} OFFSET ${page.skip}
      ))
      GROUP BY user_id
      UNION ALL
      SELECT NULL, NULL, kind, item, ${SPEND_COLUMNS} FROM ${ofItems} WHERE ${which} GROUP BY kind, item
      ${withDays ? days : Prisma.empty}
    )
    SELECT shown.*, first_name AS "firstName", username,
      (SELECT count(*) FROM ranked)::int AS users
    FROM shown LEFT JOIN bot."user" ON "user".id = "userId"
    ORDER BY "amountMicroRub" DESC, "userId", item, kind`
}

/**
 * Chooses which sums are read: what users spent is in the sums of days, of all time by the totals, which have
 * no days. What everybody spent, for what and when, has sums of its own.
 */
async function chooseSums(
  prisma: Reader,
  { range, filter: { userId, chatId } }: Pick<SpendersAsked, 'range' | 'filter'>,
) {
  const isOfAllTime = range.from === undefined
  const ofUsers = isOfAllTime ? Prisma.sql`bot.spend_total` : Prisma.sql`bot.spend_day`
  if (userId !== undefined || chatId !== undefined) {
    return { ofUsers, ofItems: ofUsers, ofDays: Prisma.sql`bot.spend_day` }
  }
  const dates = allDates(await readLastFinishedDate(prisma))
  return { ofUsers, ofItems: dates, ofDays: dates }
}

function isAsked({ from, to }: DateRange, filter: SpendFilter): Prisma.Sql {
  if (from === undefined) return matches(filter)
  return Prisma.sql`day BETWEEN ${from}::date AND ${to}::date AND ${matches(filter)}`
}

function toSpenders(rows: readonly SpentRow[], range: DateRange): Spenders {
  const users: UserSpend[] = []
  const byKind = new Map<ChargeKind, Spend>()
  const byItem = new Map<string, Spend>()
  for (const {
    userId,
    kind,
    item,
    firstName,
    username,
    day: _day,
    users: _users,
    ...spend
  } of rows) {
    if (userId !== null) {
      users.push({ user: { id: userId, firstName: firstName ?? '', username }, spend })
    } else if (kind !== null && item !== null) {
      byKind.set(kind, addSpend(byKind.get(kind) ?? NO_SPEND, spend))
      byItem.set(item, addSpend(byItem.get(item) ?? NO_SPEND, spend))
    }
  }
  const sum = [...byKind.values()].reduce(addSpend, NO_SPEND)
  const named = users.map(({ spend }) => spend).reduce(addSpend, NO_SPEND)
  return {
    ...range,
    sum,
    byKind: [...byKind].map(([kind, spend]) => ({ kind, spend })).sort(byAmount),
    byItem: [...byItem].map(([item, spend]) => ({ item, spend })).sort(byAmount),
    users,
    rest: { users: (rows[0]?.users ?? 0) - users.length, spend: takeSpend(sum, named) },
  }
}

function toDays(rows: readonly SpentRow[], { from, to }: DateRange): DaySpend[] {
  const byDay = new Map<string, Map<ChargeKind, bigint>>()
  for (const { day, kind, amountMicroRub } of rows) {
    if (day === null || kind === null) continue
    const kinds = byDay.get(day) ?? new Map<ChargeKind, bigint>()
    byDay.set(day, kinds.set(kind, amountMicroRub))
  }
  const first = from ?? [...byDay.keys()].reduce((least, day) => (day < least ? day : least), to)
  return listDates(first, to)
    .slice(-DATES_MAX)
    .map((day) => {
      const kinds = byDay.get(day) ?? new Map<ChargeKind, bigint>()
      const amountMicroRub = [...kinds.values()].reduce((sum, amount) => sum + amount, 0n)
      return { day, amountMicroRub, byKind: kinds }
    })
}

function byAmount(one: { spend: Spend }, other: { spend: Spend }): number {
  const difference = other.spend.amountMicroRub - one.spend.amountMicroRub
  return difference > 0n ? 1 : difference < 0n ? -1 : 0
}
