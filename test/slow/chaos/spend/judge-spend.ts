import type { Pool } from 'pg'
import type { Telegram } from '../../../support/telegram-user.ts'
import { describeBills, listEstimates } from '../bills.ts'
import type { PastFault } from '../chaos-faults.ts'
import { findMoneyFaults } from '../find-money-faults.ts'
import { checkAnswers } from './check-answers.ts'
import { checkLimits } from './check-limits.ts'
import { checkOrderCharges } from './check-order-charges.ts'
import { explainTurnCharges } from './explain-turn-charges.ts'
import { readCharges } from './read-charges.ts'
import { readHolds } from './read-holds.ts'
import type { SentMessage } from './spend-users.ts'
import type { AskedModel } from './unsteady-model.ts'

/** The verdict on a run: sentences, one for each thing that must not be, and figures. */
export interface Verdict {
  problems: string[]
  figures: Record<string, unknown>
  bills: string
}

const BOTH_SIDES = `
  SELECT -(SELECT sum(amount_micro_rub) FROM service.movement) + (SELECT sum(amount_micro_rub) FROM service.adjustment) AS moved,
    (SELECT sum(amount_micro_rub) FROM bot.charge) AS paid`

/** Compares all that was asked, shown and charged, once nothing is under way any more. */
export async function judgeSpend(
  pool: Pool,
  {
    telegram,
    sent,
    model,
    faults,
  }: {
    telegram: Telegram
    sent: readonly SentMessage[]
    model: { asked: readonly AskedModel[]; problems: readonly string[] }
    faults: readonly PastFault[]
  },
): Promise<Verdict> {
  const charges = await readCharges(pool)
  const ofTurns = charges.filter(({ orderId }) => orderId === null)
  const { asked } = model
  const { holds, problems: unheld } = await readHolds(pool, { asked, charges: ofTurns })
  const turns = explainTurnCharges(ofTurns, { holds, sent, faults })
  const orders = await checkOrderCharges(pool, charges, { sent, telegram })
  const answers = await checkAnswers(pool, { sent, telegram })
  const limits = await checkLimits(pool)
  const { rows: sides } = await pool.query<{ moved: string; paid: string }>(BOTH_SIDES)
  const moved = BigInt(sides[0]?.moved ?? 0)
  const paid = BigInt(sides[0]?.paid ?? 0)
  const rest = moved - (paid - turns.aboveMicroRub + turns.writtenOffMicroRub)
  return {
    problems: [
      ...model.problems,
      ...unheld,
      ...answers.problems,
      ...orders.problems,
      ...turns.problems,
      ...limits.problems,
      ...(await findMoneyFaults(pool)),
      ...(rest === 0n ? [] : [`the balance moved by ${rest} more than the charges explain`]),
    ],
    bills: `The service takes for ${describeBills(turns.service)}Users pay for ${describeBills(turns.users)}${listEstimates(turns.users)}`,
    figures: {
      answers: answers.counts,
      orders: orders.counts,
      charges: turns.counts,
      limits: limits.figures,
      moved,
      paid,
      estimatesAbove: turns.aboveMicroRub,
      writtenOff: turns.writtenOffMicroRub,
    },
  }
}
