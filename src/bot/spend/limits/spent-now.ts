import type { PrismaClient } from '../../../platform/database/generated/client.ts'
import type { LimitPeriod } from '../../../platform/database/generated/enums.ts'
import type { Calendar } from '../calendar.ts'
import { counterOn } from '../charges/sums.ts'
import { EVERYBODY, readSpentByEverybody } from './everybody.ts'

/** The sums that count against the limits of a user, a group or everybody now, whether there are any or not. */
export interface SpentNow {
  spentMicroRub: Readonly<Record<LimitPeriod, bigint>>
  reservedMicroRub: bigint
  resetsAt: Readonly<Record<LimitPeriod, Date | null>>
}

export async function readSpentNow(
  prisma: Pick<PrismaClient, '$queryRaw'>,
  { subjectId, calendar }: { subjectId: bigint | number; calendar: Calendar },
): Promise<SpentNow> {
  const resetsAt = { ...(await calendar.readResets(prisma)), all: null }
  if (BigInt(subjectId) === EVERYBODY) {
    return { ...(await readSpentByEverybody(prisma, calendar)), resetsAt }
  }
  const today = calendar.today()
  const [row] = await prisma.$queryRaw<({ reserved: bigint } & Record<LimitPeriod, bigint>)[]>`
    SELECT reserved_micro_rub AS reserved, ${counterOn('day', today, 'spender')} AS day,
      ${counterOn('week', today, 'spender')} AS week,
      ${counterOn('month', today, 'spender')} AS month, total_micro_rub AS "all"
    FROM bot.spender WHERE id = ${subjectId}`
  // Who has spent nothing yet has no counters.
  const { reserved, ...spentMicroRub } = row ?? {
    reserved: 0n,
    day: 0n,
    week: 0n,
    month: 0n,
    all: 0n,
  }
  return { spentMicroRub, reservedMicroRub: reserved, resetsAt }
}
