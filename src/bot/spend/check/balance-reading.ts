import { Prisma, type PrismaClient } from '../../../platform/database/generated/client.ts'
import { allDates, readLastFinishedDate } from '../charges/finished-dates.ts'

/** How often a balance is read again where something of ours went on meanwhile. */
const READS_MAX = 3
/** A service moves its balance, and gives money back, when it comes to it. */
const LATE_MINUTES_MAX = 15
/** An answer that its user stopped goes on unseen; it is among so many of the newest turns. */
const STOPPED_TURNS_MAX = 1_000

/** The balance of the service's account and the sum of our charges at one moment. */
export interface BalanceReading {
  /** The time by the database's clock. */
  readAt: Date
  balanceMicroRub: bigint
  /** The sum that users pay: all charges added up. */
  chargedMicroRub: bigint
}

export interface BalanceReadingsDeps {
  prisma: Pick<PrismaClient, '$queryRaw'>
  /** The service's balance; its error goes to the caller. */
  readBalance: () => Promise<bigint>
}

/** Readings of the service's balance, each with what our charges came to. */
export function createBalanceReadings({ prisma, readBalance }: BalanceReadingsDeps) {
  return { read }

  /** Reads the balance now. @returns Also whether nothing of ours was under way, so that the two belong together. */
  async function read(): Promise<BalanceReading & { isSettled: boolean }> {
    for (let reads = 1; ; reads += 1) {
      const before = await readUseTraces(prisma)
      const balanceMicroRub = await readBalance()
      const { isPending, ...state } = await readState()
      const after = await readUseTraces(prisma)
      const isQuiet = before !== undefined && after !== undefined && isSameUse(before, after)
      // What was under way before may well be when it is asked again.
      if (isQuiet || before === undefined || reads === READS_MAX) {
        return { ...state, balanceMicroRub, isSettled: isQuiet && !isPending }
      }
    }
  }

  async function readState() {
    const last = await readLastFinishedDate(prisma)
    const [state] = await prisma.$queryRaw<
      (Omit<BalanceReading, 'balanceMicroRub'> & { isPending: boolean })[]
    >`
      SELECT now() AS "readAt", coalesce(sum(amount_micro_rub), 0)::bigint AS "chargedMicroRub",
        EXISTS (SELECT FROM bot.reservation WHERE amount_micro_rub > 0)
          OR ${LATE_MICRO_RUB} > 0 AS "isPending"
      FROM ${allDates(last)}`
    if (!state) throw new TypeError('Cannot read the state of charges: a sum without a row')
    return state
  }
}

/** The service may move its balance for such a charge later. */
const IS_LATE = Prisma.sql`created_at > now() - ${LATE_MINUTES_MAX} * interval '1 minute'`

/** By an aggregate: in EXISTS, PostgreSQL expects a late charge soon, and reads all charges if there is none. */
const LATE_MICRO_RUB = Prisma.sql`(
  SELECT coalesce(sum(abs(amount_micro_rub)), 0) FROM bot.charge WHERE ${IS_LATE})`

/** The rows that every paid request changes. */
interface UseTraces {
  /** When a request went to the service last. */
  sentAt: Date | null
  /** The newest charge. */
  chargeId: bigint | null
}

/**
 * Reads what would show that the service is used: of two readings of its balance with the same traces nothing
 * of ours went out between them, and nothing was charged.
 *
 * @returns Undefined while something is under way that the service charges or gives money back for: an order at
 *   the service, a turn that is being answered, a refund of the last minutes.
 */
async function readUseTraces(
  prisma: Pick<PrismaClient, '$queryRaw'>,
): Promise<UseTraces | undefined> {
  const [found] = await prisma.$queryRaw<(UseTraces & { isBusy: boolean })[]>`
    SELECT
      greatest(
        (SELECT max(asked_at) FROM bot.turn),
        (SELECT max(submitted_at) FROM bot."order")
      ) AS "sentAt",
      (SELECT id FROM bot.charge ORDER BY id DESC LIMIT 1) AS "chargeId",
      EXISTS (
        SELECT FROM bot."order"
        WHERE ended_at IS NULL AND state IN ('submitted', 'generating')
      ) OR EXISTS (
        SELECT FROM bot.turn WHERE ended_at IS NULL AND state = 'streaming'
      ) OR EXISTS (
        SELECT FROM bot.turn
        WHERE id > (SELECT max(id) FROM bot.turn) - ${STOPPED_TURNS_MAX} AND state = 'stopped'
          AND created_at > now() - interval '1 hour'
          AND NOT EXISTS (
            SELECT FROM bot.charge WHERE turn_id = turn.id AND request = greatest(requests, 1)
          )
      ) OR EXISTS (
        SELECT FROM bot.charge WHERE reversal_of IS NOT NULL AND NOT written_off AND ${IS_LATE}
      ) AS "isBusy"`
  return found === undefined || found.isBusy
    ? undefined
    : { sentAt: found.sentAt, chargeId: found.chargeId }
}

function isSameUse(one: UseTraces, other: UseTraces): boolean {
  return one.sentAt?.getTime() === other.sentAt?.getTime() && one.chargeId === other.chargeId
}
