import {
  type ChargeKind,
  type OrderState,
  Prisma,
  type PrismaClient,
} from '../../../platform/database/generated/client.ts'
import type { Calendar } from '../calendar.ts'
import { findUsers, type UsersFound } from './find-users.ts'
import {
  type Overview,
  readOverview,
  readSpenders,
  type Spenders,
  type UserName,
  type UserPage,
} from './overview.ts'
import { type ChargePosition, readCharges } from './read-charges.ts'
import { type DateRange, daysOf, type ReportSpan } from './span.ts'
import type { SpendFilter } from './spend.ts'

const NAMED: UserPage = { skip: 0, take: 20 }

/** The subject and the time of a report. */
export type Spent = SpendFilter & { span: ReportSpan }

/** An order of a user, and what it cost. */
export interface PastOrder {
  id: bigint
  kind: ChargeKind
  item: string
  state: OrderState
  /** Zero where it was taken back; null where nothing was charged. */
  amountMicroRub: bigint | null
  /** True if it had no price, so that it is not charged. */
  isUnpriced: boolean
  createdAt: Date
}

/** How many orders of a label were made without a price: admins order those. */
export interface UnpricedOrders {
  item: string
  count: number
}

/**
 * Reads who spent what, from the sums of days and the totals (docs/spend.md#reports): the charges
 * themselves are read for one user's orders and for files only.
 */
export function createSpendReports({
  prisma,
  calendar,
}: {
  prisma: PrismaClient
  calendar: Pick<Calendar, 'readDays' | 'dateOf'>
}) {
  return { spenders, overview, users, user, lastOrders, unpriced, charges, dates }

  async function spenders({ span, ...filter }: Spent, page: UserPage = NAMED): Promise<Spenders> {
    return readSpenders(prisma, { range: await dates(span), filter, page })
  }

  async function overview({ span, ...filter }: Spent, page: UserPage = NAMED): Promise<Overview> {
    return readOverview(prisma, { range: await dates(span), filter, page })
  }

  async function users(
    asked: UserPage & { span: ReportSpan; search?: string },
  ): Promise<UsersFound> {
    return findUsers(prisma, { ...asked, range: await dates(asked.span) })
  }

  async function user(id: bigint | number): Promise<UserName | undefined> {
    const select = { id: true, firstName: true, username: true } as const
    return (await prisma.user.findUnique({ where: { id }, select })) ?? undefined
  }

  async function lastOrders(userId: bigint | number, take: number): Promise<PastOrder[]> {
    const orders = await prisma.order.findMany({
      where: { userId, state: { notIn: ['draft', 'dropped'] } },
      orderBy: { id: 'desc' },
      take,
      select: {
        id: true,
        kind: true,
        label: true,
        state: true,
        createdAt: true,
        priceMicroRub: true,
        charges: { select: { amountMicroRub: true } },
      },
    })
    return orders.map(({ label: item, charges, priceMicroRub, ...order }) => ({
      ...order,
      item,
      isUnpriced: priceMicroRub === null,
      amountMicroRub:
        charges.length === 0
          ? null
          : charges.reduce((sum, { amountMicroRub }) => sum + amountMicroRub, 0n),
    }))
  }

  async function unpriced({
    span,
    userId,
  }: Pick<Spent, 'span' | 'userId'>): Promise<UnpricedOrders[]> {
    const { from, to } = await dates(span)
    const day = calendar.dateOf(Prisma.sql`created_at`)
    const isInSpan =
      from === undefined
        ? Prisma.sql`true`
        : Prisma.sql`${day} BETWEEN ${from}::date AND ${to}::date`
    return prisma.$queryRaw`
      SELECT label AS item, count(*)::int AS count FROM bot."order"
      WHERE price_micro_rub IS NULL AND state IN ('generating', 'ready', 'delivered')
        AND ${isInSpan} AND ${userId === undefined ? Prisma.sql`true` : Prisma.sql`user_id = ${userId}`}
      GROUP BY label ORDER BY label`
  }

  function charges({
    range,
    after,
    ...filter
  }: SpendFilter & { range: DateRange; after?: ChargePosition | undefined }) {
    return readCharges(prisma, { range, filter, after })
  }

  async function dates(span: ReportSpan): Promise<DateRange> {
    const days = daysOf(span)
    if (days !== undefined) return calendar.readDays(prisma, days)
    const { to } = await calendar.readDays(prisma, 'day')
    return { from: undefined, to }
  }
}

export type SpendReports = ReturnType<typeof createSpendReports>
