import { Prisma, type PrismaClient } from '../../../platform/database/generated/client.ts'
import { allDates, readLastFinishedDate } from '../charges/finished-dates.ts'
import { isSameUse, LATE_MINUTES_MAX, readUseTraces } from './service-use.ts'

/** How often a balance is read again where something of ours went on meanwhile. */
const READS_MAX = 3

interface ChargesState {
  chargedMicroRub: bigint
  writtenOffMicroRub: bigint
  estimatedMicroRub: bigint
  /** The sum that requests under way may have taken off the balance before they are charged here. */
  heldMicroRub: bigint
  /** Charges that the service may move its balance for later, or has already given back. */
  unsettledMicroRub: bigint
}

/** The balance of the service's account and the sums of our charges at one moment. */
export interface BalanceReading extends ChargesState {
  /** The time by the database's clock. */
  readAt: Date
  balanceMicroRub: bigint
  isSettled: boolean
}

export interface BalanceReadingsDeps {
  prisma: Pick<PrismaClient, '$queryRaw'>
  readBalance: () => Promise<bigint>
}

/** Readings of the service's balance, each with what our charges came to. */
export function createBalanceReadings({ prisma, readBalance }: BalanceReadingsDeps) {
  return { read }

  async function read(): Promise<BalanceReading> {
    for (let reads = 1; ; reads += 1) {
      const before = await readUseTraces(prisma)
      const balanceMicroRub = await readBalance()
      const state = await readState()
      const after = await readUseTraces(prisma)
      const isQuiet = before !== undefined && after !== undefined && isSameUse(before, after)
      // What was under way before may well be when it is asked again.
      if (isQuiet || before === undefined || reads === READS_MAX) {
        const isSettled = isQuiet && state.heldMicroRub === 0n && state.unsettledMicroRub === 0n
        return { ...state, balanceMicroRub, isSettled }
      }
    }
  }

  async function readState(): Promise<ChargesState & { readAt: Date }> {
    const last = await readLastFinishedDate(prisma)
    const [state] = await prisma.$queryRaw<(ChargesState & { readAt: Date })[]>`
      SELECT now() AS "readAt", "chargedMicroRub", "writtenOffMicroRub",
        "estimatedMicroRub" + ${WRITTEN_OFF_ESTIMATES} AS "estimatedMicroRub",
        ${HELD} AS "heldMicroRub", ${LATE} + ${BEING_MADE} AS "unsettledMicroRub"
      FROM (
        SELECT coalesce(sum(amount_micro_rub), 0)::bigint AS "chargedMicroRub",
          coalesce(sum(written_off_micro_rub), 0)::bigint AS "writtenOffMicroRub",
          coalesce(sum(estimated_micro_rub), 0)::bigint AS "estimatedMicroRub"
        FROM ${allDates(last)}
      ) AS total`
    if (!state) throw new TypeError('Cannot read the state of charges: a sum without a row')
    return state
  }
}

/** The sums of estimates are without them. */
const WRITTEN_OFF_ESTIMATES = Prisma.sql`((
    SELECT coalesce(-sum(amount_micro_rub), 0) FROM bot.charge WHERE written_off AND estimated
  ) + (
    SELECT coalesce(sum(written_off_micro_rub), 0) FROM bot.charge WHERE written_off_micro_rub > 0
  ))::bigint`

const HELD = Prisma.sql`(
  SELECT coalesce(sum(amount_micro_rub), 0)::bigint FROM bot.reservation)`

const LATE = Prisma.sql`(
  SELECT coalesce(sum(abs(amount_micro_rub)), 0)::bigint FROM bot.charge
  WHERE created_at > now() - ${LATE_MINUTES_MAX} * interval '1 minute')`

/** One that fails is given back by the service before this process hears of it. */
const BEING_MADE = Prisma.sql`(
  SELECT coalesce(sum(price_micro_rub), 0)::bigint FROM bot."order"
  WHERE ended_at IS NULL AND state = 'generating')`
