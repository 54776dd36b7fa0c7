import type { ServiceClient } from '../../../contract/client/service-client.ts'
import { ServiceError } from '../../../contract/client/service-error.ts'
import { Prisma, type PrismaClient } from '../../../platform/database/generated/client.ts'
import type { Calendar } from '../calendar.ts'
import { allDates, readLastFinishedDate } from '../charges/finished-dates.ts'
import { type BalanceReading, createBalanceReadings } from './balance-reading.ts'

const PACE_DAYS = 7

/** What is left to spend, and for how long. */
export interface Outlook {
  /** The balance of the service's account; of own money what the limit for everybody leaves of this month, below 0 if more was spent. */
  balanceMicroRub: bigint | undefined
  /** What the month has cost, where the operator's own money is spent: the account's balance means nothing there. */
  month?: MonthSpend | undefined
  dayPaceMicroRub: bigint
  daysLeft: number | undefined
}

/** What all users spent this month by TIME_ZONE, with what was written off, and what they may. */
export interface MonthSpend {
  spentMicroRub: bigint
  limitMicroRub: bigint | undefined
  daysLeft: number
}

/** Our charges against the movement of the service's balance since the first reading. */
export interface BalanceCheck {
  from: Date
  to: Date
  /** The amount by which the balance fell; below zero where more came in. */
  movedMicroRub: bigint
  /** The sum that users were charged. */
  chargedMicroRub: bigint
  /** `moved` without `charged`. */
  differenceMicroRub: bigint
  /** True if there is a difference of which a part may go by itself: something of ours was under way at the end. */
  mayEvenOut: boolean
}

type ReadingNow = Awaited<ReturnType<ReturnType<typeof createBalanceReadings>['read']>>

export interface ServiceBalanceDeps {
  prisma: Pick<PrismaClient, '$queryRaw' | 'balanceReading'>
  service: Pick<ServiceClient, 'balance'>
  calendar: Pick<Calendar, 'today' | 'firstOf' | 'endOf'>
  /** False where the database is only to be read: then no first reading is stored. */
  keepsReadings?: boolean
  readMonthLimit?: (() => Promise<bigint | undefined>) | undefined
}

/**
 * The service's balance: what there is, for how long, and whether our charges account for it (docs/spend.md#balance).
 */
export function createServiceBalance({
  prisma,
  service,
  calendar,
  keepsReadings = true,
  readMonthLimit,
}: ServiceBalanceDeps) {
  const readings = createBalanceReadings({
    prisma,
    readBalance: async () => (await service.balance()).balanceMicroRub,
  })
  return {
    outlook: () => ofNow(toOutlook),
    check: () => ofNow(toCheck),
    report: () => ofNow(async (now) => ({ ...(await toOutlook(now)), check: await toCheck(now) })),
  }

  async function ofNow<T>(describe: (now: ReadingNow) => Promise<T>): Promise<T | undefined> {
    let now: ReadingNow
    try {
      now = await readings.read()
    } catch (error) {
      if (error instanceof ServiceError) return undefined
      throw error
    }
    if (keepsReadings) await storeFirst(now)
    return describe(now)
  }

  async function toOutlook(now: ReadingNow): Promise<Outlook> {
    const dayPaceMicroRub = await readPace()
    const month = readMonthLimit && (await readMonth(readMonthLimit))
    const balanceMicroRub = month === undefined ? now.balanceMicroRub : toLeft(month)
    const daysLeft =
      dayPaceMicroRub > 0n && balanceMicroRub !== undefined
        ? Math.max(0, Number(balanceMicroRub) / Number(dayPaceMicroRub))
        : undefined
    return { balanceMicroRub, month, dayPaceMicroRub, daysLeft }
  }

  async function readMonth(readLimit: () => Promise<bigint | undefined>): Promise<MonthSpend> {
    const last = await readLastFinishedDate(prisma)
    const [spent] = await prisma.$queryRaw<{ microRub: bigint; daysLeft: number }[]>`
      SELECT coalesce(sum(amount_micro_rub + written_off_micro_rub), 0)::bigint AS "microRub",
        (extract(epoch FROM ${calendar.endOf('month')} - now()) / 86400)::float8 AS "daysLeft"
      FROM ${allDates(last)} WHERE spent_on.day >= ${calendar.firstOf('month')}`
    return {
      spentMicroRub: spent?.microRub ?? 0n,
      limitMicroRub: await readLimit(),
      daysLeft: spent?.daysLeft ?? 0,
    }
  }

  async function toCheck({ isSettled, ...now }: ReadingNow): Promise<BalanceCheck> {
    const first = (await readFirst()) ?? now
    const movedMicroRub = first.balanceMicroRub - now.balanceMicroRub
    const chargedMicroRub = now.chargedMicroRub - first.chargedMicroRub
    const differenceMicroRub = movedMicroRub - chargedMicroRub
    return {
      from: first.readAt,
      to: now.readAt,
      movedMicroRub,
      chargedMicroRub,
      differenceMicroRub,
      mayEvenOut: differenceMicroRub !== 0n && !isSettled,
    }
  }

  function readFirst(): Promise<BalanceReading | null> {
    return prisma.balanceReading.findFirst({ orderBy: { id: 'asc' } })
  }

  async function storeFirst({ isSettled: _, ...data }: ReadingNow): Promise<void> {
    if ((await readFirst()) === null) await prisma.balanceReading.create({ data })
  }

  /** Today counts as far as it went; where the first charge is younger than the days, they are fewer, at least one. */
  async function readPace(): Promise<bigint> {
    const dayLeft = Prisma.sql`extract(epoch FROM ${calendar.endOf('day')} - now()) / 86400`
    const last = await readLastFinishedDate(prisma)
    const [pace] = await prisma.$queryRaw<{ microRub: bigint }[]>`
      SELECT round(
        coalesce(sum(amount_micro_rub + written_off_micro_rub), 0) / greatest(1,
          least(${calendar.today()} - first.day + 1, ${PACE_DAYS}::int) - ${dayLeft})
      )::bigint AS "microRub"
      FROM (SELECT min(day) AS day FROM bot.spend_day) AS first
      LEFT JOIN ${allDates(last)} ON spent_on.day >= ${calendar.firstOf({ last: PACE_DAYS })}
      GROUP BY first.day`
    const microRub = pace?.microRub ?? 0n
    return microRub > 0n ? microRub : 0n
  }
}

function toLeft({ spentMicroRub, limitMicroRub }: MonthSpend): bigint | undefined {
  return limitMicroRub === undefined ? undefined : limitMicroRub - spentMicroRub
}

export type ServiceBalance = ReturnType<typeof createServiceBalance>
