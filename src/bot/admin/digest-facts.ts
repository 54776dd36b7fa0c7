import type { PrismaClient } from '../../platform/database/generated/client.ts'
import type { Outlook } from '../spend/balance.ts'
import type { Reports, UserSpend } from '../spend/reports.ts'

const USERS_SHOWN = 5

/** The facts of a digest. */
export interface DigestFacts {
  day: string
  dayMicroRub: bigint
  monthMicroRub: bigint
  failedOrders: number
  /** The users who spent most in 30 days. */
  users: readonly UserSpend[]
  outlook: Outlook | undefined
}

export interface DigestFactsDeps {
  prisma: Pick<PrismaClient, 'spendDay' | '$queryRaw'>
  reports: Pick<Reports, 'overview'>
  readOutlook: () => Promise<Outlook | undefined>
  timeZone: string
}

/** Reads the facts of a digest. @returns Undefined where nothing was ever spent before today. */
export async function readDigestFacts({
  prisma,
  reports,
  readOutlook,
  timeZone,
}: DigestFactsDeps): Promise<DigestFacts | undefined> {
  const { byDay, users } = await reports.overview({ span: '30d' }, { skip: 0, take: USERS_SHOWN })
  const yesterday = byDay.at(-2)
  if (yesterday === undefined || !(await wasSpentBy(yesterday.day, prisma))) return undefined
  const month = await reports.overview({ span: 'month' }, { skip: 0, take: 0 })
  return {
    day: yesterday.day,
    dayMicroRub: yesterday.amountMicroRub,
    monthMicroRub: month.sum.amountMicroRub,
    failedOrders: await countFailedOrders(yesterday.day, { prisma, timeZone }),
    users,
    outlook: await readOutlook(),
  }
}

async function wasSpentBy(day: string, prisma: DigestFactsDeps['prisma']): Promise<boolean> {
  const where = { day: { lte: new Date(day) } }
  return (await prisma.spendDay.findFirst({ where, select: { day: true } })) !== null
}

async function countFailedOrders(
  day: string,
  { prisma, timeZone }: Pick<DigestFactsDeps, 'prisma' | 'timeZone'>,
): Promise<number> {
  const [counted] = await prisma.$queryRaw<{ count: number }[]>`
    SELECT count(*)::int AS count FROM bot."order"
    WHERE state = 'failed' AND ended_at >= ${day}::date::timestamp AT TIME ZONE ${timeZone}
      AND ended_at < (${day}::date + 1)::timestamp AT TIME ZONE ${timeZone}`
  return counted?.count ?? 0
}
