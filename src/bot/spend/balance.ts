/**
 * The service's balance: what there is, for how long, and whether our charges account for it (docs/spend.md#balance).
 *
 * In: the balance as the service reports it, and the sums of days. Out: an outlook and a check.
 * Invariant: a reading counts as settled only if nothing of ours was under way around it.
 */
import type { ServiceClient } from '../../contract/client/service-client.ts'
import { ServiceError } from '../../contract/client/service-error.ts'
import type { OrderState, PrismaClient } from '../../platform/database/generated/client.ts'
import { readTime } from '../../platform/database/prisma.ts'
import type { Calendar } from './calendar.ts'

const PACE_DAYS = 7
/** How often a balance is read if something of ours is charged meanwhile. */
const READS_MAX = 3
/** A service moves its balance, and refunds money, at its own time. */
const LATE_MS_MAX = 15 * 60_000
const DAY_MS = 86_400_000
/** The states in which the service works on an order. */
const OPEN_STATES: OrderState[] = ['submitted', 'generating']

/** The remaining money, and how long it lasts. */
export interface Outlook {
  /** The balance of the service's account; of own money what the limit for everybody leaves of this month, below 0 if more was spent. */
  balanceMicroRub: bigint | undefined
  /** The cost of the month if the operator's own money is spent: the account's balance means nothing then. */
  month?: MonthSpend | undefined
  dayPaceMicroRub: bigint
  daysLeft: number | undefined
}

/** The spend of all users this month by TIME_ZONE, with write-offs, and what they may spend. */
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
  prisma: PrismaClient
  service: Pick<ServiceClient, 'balance'>
  calendar: Pick<Calendar, 'readDays' | 'readPeriods'>
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
    const mayEvenOut = differenceMicroRub !== 0n && !now.isSettled
    const sums = { movedMicroRub, chargedMicroRub, differenceMicroRub }
    return { from: first.readAt, to: now.readAt, ...sums, mayEvenOut }
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
    for (let reads = 1; ; reads += 1) {
      const before = await this.#readCharged()
      const { balanceMicroRub } = await this.#context.service.balance()
      const { lastId, isPending, ...now } = await this.#readCharged()
      const isQuiet = before.lastId === lastId
      if (!isQuiet && reads < READS_MAX) continue
      const isSettled = isQuiet && !isPending && !before.isPending
      return { ...now, balanceMicroRub, isSettled }
    }
  }

  #readFirst() {
    return this.#context.prisma.balanceReading.findFirst({ orderBy: { id: 'asc' } })
  }

  /**
   * Reads the sum of our charges, the newest charge, and whether the service may yet charge or refund something.
   *
   * They are read in this order: a charge that is written meanwhile has a new id, or is a recent charge.
   */
  async #readCharged() {
    const { prisma } = this.#context
    const readAt = await readTime(prisma)
    const { _sum } = await prisma.spendDay.aggregate({ _sum: { amountMicroRub: true } })
    const last = await prisma.charge.findFirst({ orderBy: { id: 'desc' }, select: { id: true } })
    const isHeld = { heldMicroRub: { gt: 0 } }
    const isOpen = { endedAt: null, state: { in: OPEN_STATES } }
    const recentFrom = new Date(readAt.getTime() - LATE_MS_MAX)
    const isRecent = { createdAt: { gt: recentFrom }, amountMicroRub: { not: 0 } }
    const select = { id: true } as const
    const turn = await prisma.turn.findFirst({ where: isHeld, select })
    const order = await prisma.order.findFirst({ where: { OR: [isHeld, isOpen] }, select })
    const isPending =
      turn !== null || order !== null || (await prisma.charge.count({ where: isRecent })) > 0
    const chargedMicroRub = _sum.amountMicroRub ?? 0n
    return { readAt, chargedMicroRub, lastId: last?.id, isPending }
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
