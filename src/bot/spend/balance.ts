/**
 * The service's balance, how long it lasts, and whether our charges account for it (docs/spend.md#balance).
 *
 * In: the balance as the service reports it, and the sums of days. Out: an outlook and a check.
 */
import type { ServiceClient } from '../../contract/client/service-client.ts'
import { ServiceError } from '../../contract/client/service-error.ts'
import type { PrismaClient } from '../../platform/database/generated/client.ts'
import { readTime } from '../../platform/database/prisma.ts'
import type { Calendar } from './calendar.ts'

const PACE_DAYS = 7
const DAY_MS = 86_400_000

export interface Outlook {
  /** The account's balance; for own money the rest of the month's limit for everybody, below 0 if it is passed. */
  balanceMicroRub: bigint | undefined
  /** The cost of the month if the operator's own money is spent: the account's balance means nothing then. */
  month?: MonthSpend | undefined
  dayPaceMicroRub: bigint
  daysLeft: number | undefined
}

/** By TIME_ZONE, with write-offs. */
export interface MonthSpend {
  spentMicroRub: bigint
  limitMicroRub: bigint | undefined
  daysLeft: number
}

/** Requests in progress, and a service that moves its balance late, make a difference for a while. */
export interface BalanceCheck {
  from: Date
  to: Date
  /** The amount by which the balance fell; below zero if more came in. */
  movedMicroRub: bigint
  chargedMicroRub: bigint
  /** `moved` without `charged`. */
  differenceMicroRub: bigint
}

interface Reading {
  /** By the database's clock. */
  readAt: Date
  balanceMicroRub: bigint
  chargedMicroRub: bigint
}

export interface ServiceBalanceContext {
  prisma: PrismaClient
  service: Pick<ServiceClient, 'balance'>
  calendar: Pick<Calendar, 'readDays' | 'readPeriods'>
  /** The limit for everybody in a month; undefined if the money is not the operator's own. */
  readMonthLimit?: (() => Promise<bigint | undefined>) | undefined
}

/** Each method returns undefined if the service does not answer. */
export class ServiceBalance {
  readonly #context: ServiceBalanceContext

  constructor(context: ServiceBalanceContext) {
    this.#context = context
  }

  async outlook(): Promise<Outlook | undefined> {
    const now = await this.#read()
    if (now === undefined) return undefined
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

  async check(): Promise<BalanceCheck | undefined> {
    const now = await this.#read()
    if (now === undefined) return undefined
    const first = (await this.#readFirst()) ?? now
    const movedMicroRub = first.balanceMicroRub - now.balanceMicroRub
    const chargedMicroRub = now.chargedMicroRub - first.chargedMicroRub
    const differenceMicroRub = movedMicroRub - chargedMicroRub
    const sums = { movedMicroRub, chargedMicroRub, differenceMicroRub }
    return { from: first.readAt, to: now.readAt, ...sums }
  }

  async #read(): Promise<Reading | undefined> {
    const { prisma, service } = this.#context
    try {
      const { balanceMicroRub } = await service.balance()
      const { _sum } = await prisma.spendDay.aggregate({ _sum: { amountMicroRub: true } })
      const chargedMicroRub = _sum.amountMicroRub ?? 0n
      const now = { readAt: await readTime(prisma), balanceMicroRub, chargedMicroRub }
      if ((await this.#readFirst()) === null) await prisma.balanceReading.create({ data: now })
      return now
    } catch (error) {
      if (error instanceof ServiceError) return undefined
      throw error
    }
  }

  #readFirst() {
    return this.#context.prisma.balanceReading.findFirst({ orderBy: { id: 'asc' } })
  }

  /** Today counts as far as it went; if the first charge is younger than the days, they are fewer, at least one. */
  async #readSpent() {
    const { prisma, calendar } = this.#context
    const now = (await readTime(prisma)).getTime()
    const { from, to } = await calendar.readDays(prisma, { last: PACE_DAYS })
    const month = await calendar.readDays(prisma, 'month')
    const periods = await calendar.readPeriods(prisma)
    const { _min } = await prisma.spendDay.aggregate({ _min: { day: true } })
    const begin = Math.max(Date.parse(from), (_min.day ?? new Date(to)).getTime())
    const restOfToday = (periods.day.resetsAt.getTime() - now) / DAY_MS
    const days = (Date.parse(to) - begin) / DAY_MS + 1 - restOfToday
    const pace = Number(await this.#spentSince(from)) / Math.max(1, days)
    return {
      monthMicroRub: await this.#spentSince(month.from),
      dayPaceMicroRub: BigInt(Math.max(0, Math.round(pace))),
      daysLeft: (periods.month.resetsAt.getTime() - now) / DAY_MS,
    }
  }

  /** The service keeps the money that is written off. */
  async #spentSince(day: string): Promise<bigint> {
    const { _sum } = await this.#context.prisma.spendDay.aggregate({
      where: { day: { gte: new Date(day) } },
      _sum: { amountMicroRub: true, writtenOffMicroRub: true },
    })
    return (_sum.amountMicroRub ?? 0n) + (_sum.writtenOffMicroRub ?? 0n)
  }
}
