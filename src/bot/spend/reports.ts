/**
 * Reports of spending, from the sums of days (docs/spend.md#reports).
 *
 * In: a span and a filter. Out: who spent how much, for what and when; a user's orders.
 * Invariant: one statement reads all lists of a report, so that each adds up to its sum also while something is charged.
 */
import {
  type ChargeKind,
  type OrderState,
  Prisma,
  type PrismaClient,
} from '../../platform/database/generated/client.ts'
import type { Calendar, Days } from './calendar.ts'
import { isMeantBy } from './users.ts'

/** The time that a report covers: today, the last 7 or 30 days with today, this month so far, or all time. */
export const SPANS = ['today', '7d', '30d', 'month', 'all'] as const
export type ReportSpan = (typeof SPANS)[number]

const DAYS: Readonly<Record<ReportSpan, Days | undefined>> = {
  today: 'day',
  '7d': { last: 7 },
  '30d': { last: 30 },
  month: 'month',
  all: undefined,
}

/** How many dates of all time are listed: the last ones. */
const DATES_MAX = 366
const NAMED: UserPage = { skip: 0, take: 20 }

/** The first and the last date of a report, such as "2026-11-22". */
export interface DateRange {
  from: string | undefined
  to: string
}

/** The sums of charges. Estimates and history are parts of the amount. */
export interface Spend {
  /** How many, without those that take one back. */
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

export function addSpend(one: Spend, other: Spend): Spend {
  return {
    charges: one.charges + other.charges,
    amountMicroRub: one.amountMicroRub + other.amountMicroRub,
    estimatedMicroRub: one.estimatedMicroRub + other.estimatedMicroRub,
    writtenOffMicroRub: one.writtenOffMicroRub + other.writtenOffMicroRub,
    historyMicroRub: one.historyMicroRub + other.historyMicroRub,
  }
}

function takeSpend(whole: Spend, part: Spend): Spend {
  return {
    charges: whole.charges - part.charges,
    amountMicroRub: whole.amountMicroRub - part.amountMicroRub,
    estimatedMicroRub: whole.estimatedMicroRub - part.estimatedMicroRub,
    writtenOffMicroRub: whole.writtenOffMicroRub - part.writtenOffMicroRub,
    historyMicroRub: whole.historyMicroRub - part.historyMicroRub,
  }
}

/** SQL of the columns of a `Spend`, over rows of `spend_day`. */
const SPEND_COLUMNS = Prisma.sql`
  coalesce(sum(charges), 0)::int AS charges,
  coalesce(sum(amount_micro_rub), 0)::bigint AS "amountMicroRub",
  coalesce(sum(estimated_micro_rub), 0)::bigint AS "estimatedMicroRub",
  coalesce(sum(written_off_micro_rub), 0)::bigint AS "writtenOffMicroRub",
  coalesce(sum(history_micro_rub), 0)::bigint AS "historyMicroRub"`

/** The filter of a report: a left out part does not narrow it. */
export interface SpendFilter {
  userId?: bigint | number | undefined
  /** A private chat has its user's id, groups are below zero. */
  chatId?: bigint | number | undefined
  kind?: ChargeKind | undefined
  item?: string | undefined
}

function matches({ userId, chatId, kind, item }: SpendFilter): Prisma.Sql {
  const conditions = [
    Prisma.sql`true`,
    ...(userId === undefined ? [] : [Prisma.sql`user_id = ${userId}`]),
    ...(chatId === undefined ? [] : [Prisma.sql`chat_id = ${chatId}`]),
    ...(kind === undefined ? [] : [Prisma.sql`kind = ${kind}::bot.charge_kind`]),
    ...(item === undefined ? [] : [Prisma.sql`item = ${item}`]),
  ]
  return Prisma.join(conditions, ' AND ')
}

/** SQL of a condition on the days of rows. */
function isWithin({ from, to }: DateRange): Prisma.Sql {
  if (from === undefined) return Prisma.sql`true`
  return Prisma.sql`day BETWEEN ${from}::date AND ${to}::date`
}

/** The subject and the time of a report. */
export type Spent = SpendFilter & { span: ReportSpan }

export interface UserName {
  /** Below zero: a group that asked in its own name. */
  id: bigint
  /** Empty if the user had everything erased. */
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

/** The page of users that an overview names. */
export interface UserPage {
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

/** Some of the users of a search. */
export interface UsersFound {
  users: UserSpend[]
  total: number
}

interface FoundRow extends Spend {
  id: bigint
  firstName: string
  username: string | null
  total: number
}

type UsersAsked = UserPage & { span: ReportSpan; search?: string }

/** An order of a user, and its cost. */
export interface PastOrder {
  id: bigint
  kind: ChargeKind
  item: string
  state: OrderState
  /** Zero if it was taken back; null if nothing was charged. */
  amountMicroRub: bigint | null
  /** True if it had no price, so that it is not charged. */
  isUnpriced: boolean
  createdAt: Date
}

/** The number of orders of a label without a price: admins make such orders. */
export interface UnpricedOrders {
  item: string
  count: number
}

/** A sum of a user, of a date and kind, or of an item and kind; the other keys are null. */
interface SpentRow extends Spend {
  userId: bigint | null
  day: string | null
  kind: ChargeKind | null
  item: string | null
  firstName: string | null
  username: string | null
  users: number
}

/** Reads reports. */
export class Reports {
  readonly #prisma: PrismaClient
  readonly #calendar: Pick<Calendar, 'readDays' | 'dateOf'>

  constructor(app: { prisma: PrismaClient; calendar: Pick<Calendar, 'readDays' | 'dateOf'> }) {
    this.#prisma = app.prisma
    this.#calendar = app.calendar
  }

  async overview({ span, ...filter }: Spent, page: UserPage = NAMED): Promise<Overview> {
    const range = await this.dates(span)
    const rows = await this.#prisma.$queryRaw<SpentRow[]>`
      WITH sums AS MATERIALIZED (
        SELECT user_id, day, kind, item, ${SPEND_COLUMNS} FROM bot.spend_day
        WHERE ${isWithin(range)} AND ${matches(filter)}
        GROUP BY GROUPING SETS ((user_id), (kind, item), (day, kind))
      ), named AS (
        SELECT user_id FROM sums WHERE user_id IS NOT NULL
        ORDER BY "amountMicroRub" DESC, user_id LIMIT ${page.take} OFFSET ${page.skip}
      )
      SELECT user_id AS "userId", day::text, kind, item, charges, "amountMicroRub", "estimatedMicroRub",
        "writtenOffMicroRub", "historyMicroRub", first_name AS "firstName", username,
        (SELECT count(user_id) FROM sums)::int AS users
      FROM sums LEFT JOIN bot."user" ON "user".id = user_id
      WHERE user_id IS NULL OR user_id IN (SELECT user_id FROM named)
      ORDER BY "amountMicroRub" DESC, user_id, item, kind`
    return toOverview(rows, range)
  }

  /**
   * Finds users by an @username, or by an id or words that each are in the name or the username; without a
   * search all who spent anything. The largest amount is first.
   */
  async users({ span, search = '', skip, take }: UsersAsked): Promise<UsersFound> {
    const isInSpan = isWithin(await this.dates(span))
    const isFound = isMeantBy(search) ?? Prisma.sql`user_id IS NOT NULL`
    const rows = await this.#prisma.$queryRaw<FoundRow[]>`
      WITH spent AS (
        SELECT user_id, sum(amount_micro_rub) AS amount FROM bot.spend_day WHERE ${isInSpan} GROUP BY user_id
      ),
      -- All of them, before any is looked for: if PostgreSQL expects one user, it adds up all sums for each.
      everybody AS MATERIALIZED (
        SELECT id, first_name, username, user_id, coalesce(amount, 0) AS amount
        FROM bot."user" LEFT JOIN spent ON user_id = id
      ),
      found AS (SELECT * FROM everybody WHERE ${isFound}),
      page AS (SELECT * FROM found ORDER BY amount DESC, id LIMIT ${take} OFFSET ${skip})
      SELECT id, first_name AS "firstName", username, own.*, (SELECT count(*) FROM found)::int AS total
      FROM page, LATERAL (
        SELECT ${SPEND_COLUMNS} FROM bot.spend_day WHERE ${isInSpan} AND user_id = page.id
      ) AS own
      ORDER BY amount DESC, id`
    const users = rows.map(({ id, firstName, username, total: _, ...spend }) => {
      return { user: { id, firstName, username }, spend }
    })
    return { users, total: rows[0]?.total ?? 0 }
  }

  async user(id: bigint | number): Promise<UserName | undefined> {
    const select = { id: true, firstName: true, username: true } as const
    return (await this.#prisma.user.findUnique({ where: { id }, select })) ?? undefined
  }

  async lastOrders(userId: bigint | number, take: number): Promise<PastOrder[]> {
    const orders = await this.#prisma.order.findMany({
      where: { userId, state: { notIn: ['draft', 'dropped'] } },
      orderBy: { id: 'desc' },
      take,
      include: { charges: { select: { amountMicroRub: true } } },
    })
    return orders.map(({ id, kind, label, state, createdAt, priceMicroRub, charges }) => {
      const amount = charges.reduce((sum, { amountMicroRub }) => sum + amountMicroRub, 0n)
      const amountMicroRub = charges.length === 0 ? null : amount
      const isUnpriced = priceMicroRub === null
      return { id, kind, item: label, state, createdAt, isUnpriced, amountMicroRub }
    })
  }

  async unpriced({ span, userId }: Pick<Spent, 'span' | 'userId'>): Promise<UnpricedOrders[]> {
    const range = await this.dates(span)
    const isTheirs = matches({ userId })
    return this.#prisma.$queryRaw`
      SELECT label AS item, count(*)::int AS count FROM (
        SELECT label, ${this.#calendar.dateOf(Prisma.sql`created_at`)} AS day FROM bot."order"
        WHERE price_micro_rub IS NULL AND state IN ('generating', 'ready', 'delivered') AND ${isTheirs}
      ) AS unpriced
      WHERE ${isWithin(range)} GROUP BY label ORDER BY label`
  }

  async dates(span: ReportSpan): Promise<DateRange> {
    const days = DAYS[span]
    if (days !== undefined) return this.#calendar.readDays(this.#prisma, days)
    const { to } = await this.#calendar.readDays(this.#prisma, 'day')
    return { from: undefined, to }
  }
}

function toOverview(rows: readonly SpentRow[], range: DateRange): Overview {
  const users: UserSpend[] = []
  const byKind = new Map<ChargeKind, Spend>()
  const byItem = new Map<string, Spend>()
  for (const { userId, kind, item, firstName, username, day: _, users: __, ...spend } of rows) {
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
    byDay: toDays(rows, range),
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

function listDates(from: string, to: string): string[] {
  const dates: string[] = []
  const at = new Date(`${from}T00:00:00Z`)
  for (;;) {
    const date = at.toISOString().slice(0, 10)
    if (date > to) return dates
    dates.push(date)
    at.setUTCDate(at.getUTCDate() + 1)
  }
}

function byAmount(one: { spend: Spend }, other: { spend: Spend }): number {
  const difference = other.spend.amountMicroRub - one.spend.amountMicroRub
  return difference > 0n ? 1 : difference < 0n ? -1 : 0
}
