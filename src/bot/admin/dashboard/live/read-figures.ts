import type { PrismaClient } from '../../../../platform/database/generated/client.ts'
import type { SpendReports } from '../../../spend/reports/spend-reports.ts'
import type { LiveEvent } from '../api.ts'
import { toWireMoney, toWireSpend } from '../to-wire.ts'

export interface LiveFiguresDeps {
  prisma: Pick<PrismaClient, 'reservation'>
  reports: Pick<SpendReports, 'spenders'>
  /** Undefined where the service does not report it now. */
  readBalance: () => Promise<bigint | undefined>
}

const NOBODY = { skip: 0, take: 0 }

/** Reads what has been spent today, what is under way and what is left. */
export async function readLiveFigures({
  prisma,
  reports,
  readBalance,
}: LiveFiguresDeps): Promise<LiveEvent> {
  const [{ sum }, reserved, balanceMicroRub] = await Promise.all([
    reports.spenders({ span: 'today' }, NOBODY),
    prisma.reservation.aggregate({ _sum: { amountMicroRub: true } }),
    readBalance(),
  ])
  return {
    today: toWireSpend(sum),
    balanceMicroRub: balanceMicroRub === undefined ? null : toWireMoney(balanceMicroRub),
    reservedMicroRub: toWireMoney(reserved._sum.amountMicroRub ?? 0n),
  }
}
