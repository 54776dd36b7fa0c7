import { Prisma, type PrismaClient } from '../../database/generated/client.ts'
import type { Calendar } from '../spend/calendar.ts'
import { checkChargeAmount } from '../spend/charges/amount.ts'
import { recordCharges } from '../spend/charges/record-charges.ts'
import { TURN_COLUMNS } from '../spend/charges/turn-charges.ts'
import type { TurnCost } from '../spend/charges/turn-cost.ts'

/**
 * Notes that a turn asks the service.
 *
 * Invariant: of requests of a turn whose end is not known, each but the last has a row: its estimate, written
 * off at once. It and the next request are noted by one statement, so that it has one row. The end of a request is not
 * known where the process that made it ended, or lost the turn's lease.
 *
 * @param request.estimate What the service keeps if the answer breaks.
 * @returns Whether the turn is still this process's to ask.
 */
export async function recordRequest(
  { prisma, calendar }: { prisma: Pick<PrismaClient, '$executeRaw'>; calendar: Calendar },
  { id, leaseOwner, estimate }: { id: bigint; leaseOwner: number; estimate: TurnCost },
): Promise<boolean> {
  const estimateMicroRub = checkChargeAmount(estimate.amountMicroRub)
  const hidden = recordCharges({
    columns: {
      ...TURN_COLUMNS,
      request: Prisma.sql`turn.hidden_request`,
      amount_micro_rub: Prisma.sql`turn.hidden_micro_rub`,
      estimated: Prisma.sql`true`,
    },
    from: Prisma.sql`FROM asked AS turn WHERE turn.hidden_micro_rub IS NOT NULL`,
    isWrittenOff: true,
    calendar,
  })
  const asked = await prisma.$executeRaw`
    WITH before AS (
      SELECT id, requests AS hidden_request, request_micro_rub AS hidden_micro_rub
      FROM bot.turn WHERE id = ${id} AND state = 'streaming' AND lease_owner = ${leaseOwner}
      FOR NO KEY UPDATE
    ), asked AS (
      UPDATE bot.turn SET requests = requests + 1, request_micro_rub = ${estimateMicroRub}
      FROM before WHERE turn.id = before.id
      RETURNING turn.*, hidden_request, hidden_micro_rub
    ), ${hidden}
    SELECT FROM asked`
  return asked === 1
}

/**
 * Writes off what the service may charge for turns that are erased while they are answered: nobody can end
 * them any more. In the transaction that erases them, before they go.
 */
export async function writeOffRequests(
  tx: Pick<Prisma.TransactionClient, '$executeRaw'>,
  userId: number,
  calendar: Calendar,
): Promise<void> {
  const lost = recordCharges({
    columns: {
      ...TURN_COLUMNS,
      amount_micro_rub: Prisma.sql`turn.request_micro_rub`,
      estimated: Prisma.sql`true`,
    },
    from: Prisma.sql`FROM lost AS turn`,
    isWrittenOff: true,
    calendar,
  })
  await tx.$executeRaw`
    WITH lost AS MATERIALIZED (
      SELECT * FROM bot.turn
      WHERE user_id = ${userId} AND state = 'streaming' AND request_micro_rub IS NOT NULL
      ORDER BY id FOR UPDATE
    ), ${lost}
    SELECT FROM lost`
}
