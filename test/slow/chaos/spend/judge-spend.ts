import type { Pool } from 'pg'
import type { Telegram } from '../../../support/telegram-user.ts'
import { findMoneyFaults } from '../find-money-faults.ts'
import { checkCharges } from '../turns/check-charges.ts'
import { checkAnswers } from './check-answers.ts'
import { checkLimits } from './check-limits.ts'
import { checkOrderCharges } from './check-order-charges.ts'
import { type ChargeRow, readCharges } from './read-charges.ts'
import type { SentMessage } from './spend-users.ts'

/** Compares all that was asked, shown and charged, once nothing is under way any more. */
export async function judgeSpend(
  pool: Pool,
  given: { telegram: Telegram; sent: readonly SentMessage[] },
): Promise<{ problems: string[]; figures: object }> {
  const charges = await readCharges(pool)
  const orders = await checkOrderCharges(pool, charges, given)
  const answers = await checkAnswers(pool, given)
  const limits = await checkLimits(pool)
  return {
    problems: [
      ...answers.problems,
      ...orders.problems,
      ...findStrangers(charges, given.sent),
      ...(await checkCharges(pool)),
      ...limits.problems,
      ...(await findMoneyFaults(pool)),
    ],
    figures: { answers: answers.counts, orders: orders.counts, limits: limits.figures },
  }
}

/** Finds charges to somebody other than the user who asked, or in another chat. */
function findStrangers(charges: readonly ChargeRow[], sent: readonly SentMessage[]): string[] {
  const sentByTag = new Map(sent.map((one) => [one.tag, one]))
  const strangers = charges.filter(({ tag = '', userId, chatId }) => {
    const one = sentByTag.get(tag)
    return one?.userId !== userId || one.chatId !== chatId
  })
  return strangers.map(
    ({ id, tag, userId, chatId }) =>
      `charge ${id} of ${tag} is of user ${userId} in chat ${chatId}`,
  )
}
