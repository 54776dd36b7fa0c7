/**
 * The service's balance: what there is, for how long, and whether our charges account for it (docs/spend.md#balance).
 *
 * In: the balance as the service reports it, and the sums of days. Out: an outlook and a check.
 * Invariant: a reading counts as settled only if nothing of ours was under way around it.
 */
import type { ServiceClient } from '../../contract/client/service-client.ts'
import { ServiceError } from '../../contract/client/service-error.ts'
import type { PrismaClient } from '../../platform/database/generated/client.ts'
import type { Calendar } from './calendar.ts'

const PACE_DAYS = 7
/** How often a balance is read if something of ours is charged meanwhile. */
const READS_MAX = 3
/** A service moves its balance, and refunds money, at its own time. */
const LATE_MINUTES_MAX = 15

/** The remaining money, and how long it lasts. */
export interface Outlook {
  /** The balance of the service's account; of own money what the limit for everybody leaves of this month, below 0 if more was spent. */
  balanceMicroRub: bigint | undefined
  /** The cost of the month if the operator's own money is spent: the account's balance means nothing then. */
  month?: MonthSpend | undefined
  dayPaceMicroRub: bigint
  daysLeft: number | undefined
}

/** What all users spent this month by TIME_ZONE, with write-offs, and what they may spend. */
export interface MonthSpend {
  spentMicroRub: bigint
  limitMicroRub: bigint | undefined
  daysLeft: number
}

/** Our charges against the movement of the service's balance since the first reading. */
export interface BalanceCheck {
  from: Date
  to: Date
  /** The amount by which the balance fell; below zero if more came in. */
  movedMicroRub: bigint
  /** The sum that users were charged. */
  chargedMicroRub: bigint
  /** `moved` without `charged`. */
  differenceMicroRub: bigint
  /** True if there is a difference of which a part may go by itself: something of ours was under way at the end. */
  mayEvenOut: boolean
}

/** The balance of the service's account and the sum of our charges at one moment. */
interface Reading {
  /** By the database's clock. */
  readAt: Date
  balanceMicroRub: bigint
  chargedMicroRub: bigint
  isSettled: boolean
}

export interface ServiceBalanceContext {
  prisma: Pick<PrismaClient, '$queryRaw' | 'balanceReading'>
  service: Pick<ServiceClient, 'balance'>
  calendar: Pick<Calendar, 'today' | 'firstOf' | 'endOf'>
  /** False if the database is only to be read: then no first reading is stored. */
  keepsReadings?: boolean
  /** The limit for everybody in a month; undefined if the money is not the operator's own. */
  readMonthLimit?: (() => Promise<bigint | undefined>) | undefined
}

/** Reads the service's balance. Each method returns undefined if the service does not answer. */
export class ServiceBalance {
  readonly #context: ServiceBalanceContext

  constructor(context: ServiceBalanceContext) {
    this.#context = context
  }

  async outlook(): Promise<Outlook | undefined> {
    const now = await this.#read()
    return now && this.#toOutlook(now)
  }

  async check(): Promise<BalanceCheck | undefined> {
    const now = await this.#read()
    return now && this.#toCheck(now)
  }

  async report(): Promise<(Outlook & { check: BalanceCheck }) | undefined> {
    const now = await this.#read()
    return now && { ...(await this.#toOutlook(now)), check: await this.#toCheck(now) }
  }

  async #read(): Promise<Reading | undefined> {
    const { prisma, keepsReadings = true } = this.#context
    try {
      const now = await this.#readSettled()
      const { isSettled: _, ...data } = now
      if (keepsReadings && (await this.#readFirst()) === null) {
        await prisma.balanceReading.create({ data })
      }
      return now
    } catch (error) {
      if (error instanceof ServiceError) return undefined
      throw error
    }
  }

  /** Reads the balance, and again if something of ours was charged meanwhile. */
  async #readSettled(): Promise<Reading> {
    const { prisma, service } = this.#context
    for (let reads = 1; ; reads += 1) {
      const before = await readCharged(prisma)
      const { balanceMicroRub } = await service.balance()
      const { lastId, isPending, ...now } = await readCharged(prisma)
      const isQuiet = before.lastId === lastId
      if (!isQuiet && reads < READS_MAX) continue
      const isSettled = isQuiet && !isPending && !before.isPending
      return { ...now, balanceMicroRub, isSettled }
    }
  }

  #readFirst() {
    return this.#context.prisma.balanceReading.findFirst({ orderBy: { id: 'asc' } })
  }

  async #toCheck({ isSettled, ...now }: Reading): Promise<BalanceCheck> {
    const first = (await this.#readFirst()) ?? now
    const movedMicroRub = first.balanceMicroRub - now.balanceMicroRub
    const chargedMicroRub = now.chargedMicroRub - first.chargedMicroRub
    const differenceMicroRub = movedMicroRub - chargedMicroRub
    const mayEvenOut = differenceMicroRub !== 0n && !isSettled
    const sums = { movedMicroRub, chargedMicroRub, differenceMicroRub }
    return { from: first.readAt, to: now.readAt, ...sums, mayEvenOut }
  }

  async #toOutlook(now: Reading): Promise<Outlook> {
    const { readMonthLimit } = this.#context
    const { dayPaceMicroRub, monthMicroRub, daysLeft: daysOfMonth } = await this.#readSpent()
    const limitMicroRub = await readMonthLimit?.()
    const month = readMonthLimit && {
      spentMicroRub: monthMicroRub,
      limitMicroRub,
      daysLeft: daysOfMonth,
    }
    const left = limitMicroRub === undefined ? undefined : limitMicroRub - monthMicroRub
    const balanceMicroRub = month === undefined ? now.balanceMicroRub : left
    const daysLeft =
      dayPaceMicroRub > 0n && balanceMicroRub !== undefined
        ? Math.max(0, Number(balanceMicroRub) / Number(dayPaceMicroRub))
        : undefined
    return { balanceMicroRub, month, dayPaceMicroRub, daysLeft }
  }

  /** Today counts as far as it went; if the first charge is younger than the days, they are fewer, at least one. */
  async #readSpent() {
    const { prisma, calendar } = this.#context
    const paceFrom = calendar.firstOf({ last: PACE_DAYS })
    const [spent] = await prisma.$queryRaw<
      { monthMicroRub: bigint; dayPaceMicroRub: bigint; daysLeft: number }[]
    >`
      SELECT coalesce(sum(spent) FILTER (WHERE day >= (SELECT ${calendar.firstOf('month')})), 0)::bigint AS "monthMicroRub",
        greatest(round(coalesce(sum(spent) FILTER (WHERE day >= (SELECT ${paceFrom})), 0) / greatest(1,
          least(${calendar.today()} - (SELECT min(day) FROM bot.spend_day) + 1, ${PACE_DAYS}::int)
            - extract(epoch FROM ${calendar.endOf('day')} - now()) / 86400)), 0)::bigint AS "dayPaceMicroRub",
        (extract(epoch FROM ${calendar.endOf('month')} - now()) / 86400)::float8 AS "daysLeft"
      FROM (
        SELECT day, amount_micro_rub + written_off_micro_rub AS spent FROM bot.spend_day
        WHERE day >= (SELECT least(${calendar.firstOf('month')}, ${paceFrom}))
      ) AS recent`
    if (spent === undefined) throw new TypeError('Cannot read what was spent: a sum without a row')
    return spent
  }
}

/**
 * Reads the sum of our charges and the newest charge, and whether the service may yet charge or refund something: what
 * is open, or was charged or taken back of late.
 */
async function readCharged(prisma: Pick<PrismaClient, '$queryRaw'>) {
  // By a sum of late charges: for EXISTS, PostgreSQL expects one soon, and reads all charges if there is none.
  const [found] = await prisma.$queryRaw<
    { readAt: Date; chargedMicroRub: bigint; lastId: bigint | null; isPending: boolean }[]
  >`
    SELECT now() AS "readAt", coalesce(sum(amount_micro_rub), 0)::bigint AS "chargedMicroRub",
      (SELECT id FROM bot.charge ORDER BY id DESC LIMIT 1) AS "lastId",
      EXISTS (SELECT FROM bot.turn WHERE held_micro_rub > 0)
        OR EXISTS (SELECT FROM bot."order" WHERE held_micro_rub > 0)
        OR EXISTS (SELECT FROM bot."order" WHERE ended_at IS NULL AND state IN ('submitted', 'generating'))
        OR (
          SELECT coalesce(sum(abs(amount_micro_rub)), 0) > 0 FROM bot.charge
          WHERE created_at > now() - ${LATE_MINUTES_MAX} * interval '1 minute'
        ) AS "isPending"
    FROM bot.spend_day`
  if (found === undefined) throw new TypeError('Cannot read charges: a sum without a row')
  return found
}
