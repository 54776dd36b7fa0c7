import type { PrismaClient } from '../../../platform/database/generated/client.ts'
import { checkReadings, type KeptReadings } from './balance-check.ts'
import type { BalanceReading } from './balance-reading.ts'
import { CAUSES, type Cause, type Causes, NO_CAUSES } from './explain-difference.ts'

const COLUMNS = {
  written_off: 'causeWrittenOff',
  estimates: 'causeEstimates',
  under_way: 'causeUnderWay',
  credited: 'causeCredited',
  not_ours: 'causeNotOurs',
} as const satisfies Record<Cause, string>

const HIDDEN = {
  id: true,
  causeWrittenOff: true,
  causeEstimates: true,
  causeUnderWay: true,
  causeCredited: true,
  causeNotOurs: true,
} as const

/** The readings that are kept, each with why the balance moved from the first one to it. */
export function createKeptReadings(prisma: Pick<PrismaClient, 'balanceReading'>) {
  return { add, list }

  /**
   * Keeps the first reading, and after it each settled one that says something else than the last: those between
   * which more than our charges moved the balance, or less, show it exactly.
   */
  async function add(reading: BalanceReading): Promise<void> {
    const { readAt: _, ...figures } = reading
    const omit = { ...HIDDEN, readAt: true } as const
    const last = await prisma.balanceReading.findFirst({ orderBy: { id: 'desc' }, omit })
    const isNews = last === null || (reading.isSettled && !isSame(last, figures))
    if (!isNews) return
    const { causes } = checkReadings(await list(), reading)
    const columns = Object.fromEntries(CAUSES.map((cause) => [COLUMNS[cause], causes[cause]]))
    await prisma.balanceReading.create({ data: { ...reading, ...columns } })
  }

  async function list(): Promise<KeptReadings> {
    const known = await prisma.balanceReading.findFirst({
      where: { causeWrittenOff: { not: null } },
      orderBy: { id: 'desc' },
    })
    const byId = { orderBy: { id: 'asc' }, omit: HIDDEN } as const
    const since = await prisma.balanceReading.findMany({
      ...byId,
      where: { id: { gte: known?.id ?? 0n } },
    })
    if (known === null) return { first: since[0], causes: NO_CAUSES, since }
    const first = await prisma.balanceReading.findFirst(byId)
    const causes = CAUSES.map((cause) => [cause, known[COLUMNS[cause]] ?? 0n])
    return { first: first ?? undefined, causes: Object.fromEntries(causes) as Causes, since }
  }
}

function isSame(one: object, other: object): boolean {
  const values = new Map(Object.entries(other))
  return Object.entries(one).every(([key, value]) => values.get(key) === value)
}
