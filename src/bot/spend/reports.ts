/**
 * Reports of spending, from the sums of days (docs/spend.md#reports).
 *
 * In: a span and a filter. Out: spend by user, kind, model and day; a user's orders.
 * Invariant: one snapshot of the database has all lists of a report, so that each adds up to its sum also while
 * something is charged.
 */
import type {
  ChargeKind,
  OrderState,
  Prisma,
  PrismaClient,
} from '../../platform/database/generated/client.ts'
import type { Calendar, Days } from './calendar.ts'
import { findUsers, type UserName } from './users.ts'

/** The time that a report covers: today, the last 7 or 30 days with today, this month so far, or all time. */
export const SPANS = ['today', '7d', '30d', 'month', 'all'] as const
export type ReportSpan = (typeof SPANS)[number]

const DAYS: Readonly<Record<Exclude<ReportSpan, 'all'>, Days>> = {
  today: 'day',
  '7d': { last: 7 },
  '30d': { last: 30 },
  month: 'month',
}

/** How many dates of all time are listed: the last ones. */
const DATES_MAX = 366
const DAY_MS = 86_400_000
const USERS_NAMED = 20

/** Dates such as "2026-11-22". */
export interface DateRange {
  from: string | undefined
  to: string
}

/** Estimates and history are parts of the amount. */
export interface Spend {
  /** The number of charges, without reversals. */
  charges: number
  amountMicroRub: bigint
  estimatedMicroRub: bigint
  /** The sum that the service keeps and no user pays. It is not part of the amount. */
  writtenOffMicroRub: bigint
  historyMicroRub: bigint
}

export const NO_SPEND: Spend = {
  charges: 0,
  amountMicroRub: 0n,
  estimatedMicroRub: 0n,
  writtenOffMicroRub: 0n,
  historyMicroRub: 0n,
}

const SUMS = {
  charges: true,
  amountMicroRub: true,
  estimatedMicroRub: true,
  writtenOffMicroRub: true,
  historyMicroRub: true,
} as const

type Sums = { [Name in keyof Spend]: Spend[Name] | null }

export function addSpend(one: Spend, other: Sums): Spend {
  return {
    charges: one.charges + (other.charges ?? 0),
    amountMicroRub: one.amountMicroRub + (other.amountMicroRub ?? 0n),
    estimatedMicroRub: one.estimatedMicroRub + (other.estimatedMicroRub ?? 0n),
    writtenOffMicroRub: one.writtenOffMicroRub + (other.writtenOffMicroRub ?? 0n),
    historyMicroRub: one.historyMicroRub + (other.historyMicroRub ?? 0n),
  }
}

/** A missing part does not narrow the report. */
export interface SpendFilter {
  userId?: bigint | number | undefined
  /** A private chat has its user's id, groups are below zero. */
  chatId?: bigint | number | undefined
  kind?: ChargeKind | undefined
  item?: string | undefined
}

export type Spent = SpendFilter & { span: ReportSpan }

export interface UserSpend {
  user: UserName
  spend: Spend
}

export interface DaySpend {
  day: string
  amountMicroRub: bigint
  byKind: ReadonlyMap<ChargeKind, bigint>
}

export interface UserPage {
  span: ReportSpan
  search?: string
  skip: number
  take: number
}

/** Spending by user, day, kind and item. Each list adds up to `sum`, except the days of more than a year. */
export interface Overview extends DateRange {
  sum: Spend
  /** The largest amount is first, as in the next two lists. */
  byKind: { kind: ChargeKind; spend: Spend }[]
  byItem: { item: string; spend: Spend }[]
  users: UserSpend[]
  rest: { users: number; spend: Spend }
  /** Every date of the range, also if nothing was spent. */
  byDay: DaySpend[]
}

export interface PastOrder {
  id: bigint
  kind: ChargeKind
  item: string
  state: OrderState
  /** Zero if it was taken back; null if nothing was charged. */
  amountMicroRub: bigint | null
  createdAt: Date
}

export class Reports {
  readonly #prisma: PrismaClient
  readonly #calendar: Pick<Calendar, 'readDays'>

  constructor(app: { prisma: PrismaClient; calendar: Pick<Calendar, 'readDays'> }) {
    this.#prisma = app.prisma
    this.#calendar = app.calendar
  }

  async overview({ span, ...filter }: Spent, take = USERS_NAMED): Promise<Overview> {
    const range = await this.dates(span)
    const where = { ...toWhere(filter), ...toDays(range) }
    const [byUser, sums] = await this.#prisma.$transaction(
      [
        this.#sumByUser(where),
        this.#prisma.spendDay.groupBy({
          by: ['day', 'kind', 'item'],
          where,
          _sum: SUMS,
          orderBy: { day: 'asc' },
        }),
      ],
      { isolationLevel: 'RepeatableRead' },
    )
    const others = byUser.slice(take)
    return {
      ...range,
      sum: sumOf(sums),
      byKind: sumBy(sums, ({ kind }) => kind).map(([kind, spend]) => ({ kind, spend })),
      byItem: sumBy(sums, ({ item }) => item).map(([item, spend]) => ({ item, spend })),
      users: await this.#withNames(byUser.slice(0, take)),
      rest: { users: others.length, spend: sumOf(others) },
      byDay: listDays(sums, range),
    }
  }

  /** Searches by @username, id or words; without a search lists all who spent anything. The largest amount is first. */
  async users({
    span,
    search = '',
    skip,
    take,
  }: UserPage): Promise<{ users: UserSpend[]; total: number }> {
    const where = toDays(await this.dates(span))
    const spent = await this.#sumByUser(where)
    if (search.trim() === '') {
      const users = await this.#withNames(spent.slice(skip, skip + take))
      return { users, total: spent.length }
    }
    const found = await findUsers(this.#prisma, search)
    const spendOf = new Map(spent.map((row) => [row.userId, sumOf([row])]))
    const users = found.map((user) => ({ user, spend: spendOf.get(user.id) ?? NO_SPEND }))
    const sorted = users.toSorted((one, other) => byAmount(one.spend, other.spend))
    return { users: sorted.slice(skip, skip + take), total: found.length }
  }

  async user(id: bigint | number): Promise<UserName | undefined> {
    const [user] = await this.#readNames([BigInt(id)])
    return user
  }

  async lastOrders(userId: bigint | number, take: number): Promise<PastOrder[]> {
    const orders = await this.#prisma.order.findMany({
      where: { userId, state: { not: 'draft' } },
      orderBy: { id: 'desc' },
      take,
      include: { charges: { select: { amountMicroRub: true } } },
    })
    return orders.map(({ id, kind, label, state, createdAt, charges }) => {
      const amount = charges.reduce((sum, { amountMicroRub }) => sum + amountMicroRub, 0n)
      const amountMicroRub = charges.length === 0 ? null : amount
      return { id, kind, item: label, state, createdAt, amountMicroRub }
    })
  }

  async dates(span: ReportSpan): Promise<DateRange> {
    if (span !== 'all') return this.#calendar.readDays(this.#prisma, DAYS[span])
    const { to } = await this.#calendar.readDays(this.#prisma, 'day')
    return { from: undefined, to }
  }

  #sumByUser(where: Prisma.SpendDayWhereInput) {
    return this.#prisma.spendDay.groupBy({
      by: ['userId'],
      where,
      _sum: SUMS,
      orderBy: [{ _sum: { amountMicroRub: 'desc' } }, { userId: 'asc' }],
    })
  }

  async #withNames(rows: readonly { userId: bigint; _sum: Sums }[]): Promise<UserSpend[]> {
    const names = await this.#readNames(rows.map(({ userId }) => userId))
    return rows.map((row) => {
      const user = names.find(({ id }) => id === row.userId)
      const nameless = { id: row.userId, firstName: '', username: null }
      return { user: user ?? nameless, spend: sumOf([row]) }
    })
  }

  #readNames(ids: bigint[]): Promise<UserName[]> {
    const select = { id: true, firstName: true, username: true } as const
    return this.#prisma.user.findMany({ where: { id: { in: ids } }, select })
  }
}

export function toWhere({ userId, chatId, kind, item }: SpendFilter) {
  return {
    ...(userId !== undefined && { userId }),
    ...(chatId !== undefined && { chatId }),
    ...(kind !== undefined && { kind }),
    ...(item !== undefined && { item }),
  }
}

function toDays({ from, to }: DateRange) {
  return from === undefined ? {} : { day: { gte: new Date(from), lte: new Date(to) } }
}

interface SumRow {
  day: Date
  kind: ChargeKind
  item: string
  _sum: Sums
}

function sumOf(rows: readonly { _sum: Sums }[]): Spend {
  return rows.reduce((sum, { _sum }) => addSpend(sum, _sum), NO_SPEND)
}

/** The largest amount is first. */
function sumBy<Key>(rows: readonly SumRow[], keyOf: (row: SumRow) => Key): [Key, Spend][] {
  const sums = [...Map.groupBy(rows, keyOf)].map(([key, group]) => [key, sumOf(group)] as const)
  return sums.toSorted(([, one], [, other]) => byAmount(one, other)).map(([...sum]) => sum)
}

function listDays(rows: readonly SumRow[], { from, to }: DateRange): DaySpend[] {
  const byDay = Map.groupBy(rows, ({ day }) => toDate(day))
  const first = new Date(from ?? byDay.keys().next().value ?? to)
  const count = (new Date(to).getTime() - first.getTime()) / DAY_MS + 1
  const dates = Array.from({ length: count }, (_, index) =>
    toDate(new Date(first.getTime() + index * DAY_MS)),
  )
  return dates.slice(-DATES_MAX).map((day) => {
    const ofDay = byDay.get(day) ?? []
    const kinds = sumBy(ofDay, ({ kind }) => kind)
    const byKind = new Map(kinds.map(([kind, { amountMicroRub }]) => [kind, amountMicroRub]))
    return { day, amountMicroRub: sumOf(ofDay).amountMicroRub, byKind }
  })
}

function toDate(day: Date): string {
  return day.toISOString().slice(0, 10)
}

function byAmount(one: Spend, other: Spend): number {
  const difference = other.amountMicroRub - one.amountMicroRub
  return difference > 0n ? 1 : difference < 0n ? -1 : 0
}
