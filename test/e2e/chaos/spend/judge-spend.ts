import type { Pool } from 'pg'
import type { Telegram } from '../../telegram-user.ts'
import { findMoneyFaults } from '../find-money-faults.ts'
import { checkAnswers } from './check-answers.ts'
import { checkLimits } from './check-limits.ts'
import { checkOrderCharges } from './check-order-charges.ts'
import { explainTurnCharges } from './explain-turn-charges.ts'
import { readCharges } from './read-charges.ts'
import type { SentMessage } from './spend-users.ts'
import type { AskedModel } from './unsteady-model.ts'

/** The verdict on a run: sentences, one for each thing that must not be, and figures. */
export interface Verdict {
  problems: string[]
  figures: Record<string, unknown>
}

/** The amount that the service took from the bot's account, and the one that users pay. */
const BOTH_SIDES = `
  SELECT -(SELECT sum(amount_micro_rub) FROM service.entry WHERE kind <> 'credit') AS moved,
    (SELECT sum(amount_micro_rub) FROM bot.charge) AS paid`

/** Compares all that was asked, shown and charged, once nothing is under way any more. */
export async function judgeSpend(
  pool: Pool,
  {
    telegram,
    sent,
    model,
  }: {
    telegram: Telegram
    sent: readonly SentMessage[]
    model: { asked: readonly AskedModel[]; problems: readonly string[] }
  },
): Promise<Verdict> {
  const charges = await readCharges(pool)
  const ofTurns = charges.filter(({ orderId }) => orderId === null)
  const turns = await explainTurnCharges(pool, ofTurns, { asked: model.asked, sent })
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
      ...answers.problems,
      ...orders.problems,
      ...turns.problems,
      ...limits.problems,
      ...(await findMoneyFaults(pool)),
      ...(rest === 0n ? [] : [`the balance moved by ${rest} more than the charges explain`]),
    ],
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
