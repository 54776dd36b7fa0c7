import { formatMoney } from '../spend/format.ts'
import type { SpendReports } from '../spend/reports.ts'
import type { CommandHandler } from './command.ts'

/** Tells users what they have spent. */
export function createUsage({
  reports,
}: {
  reports: Pick<SpendReports, 'ofUser'>
}): CommandHandler {
  return async ({ user, t, answer }) => {
    const spend = await reports.ofUser(BigInt(user.id))
    const money = (microRub: bigint) => formatMoney(microRub, user.languageCode)
    const sums = t('usage', {
      today: money(spend.todayMicroRub),
      month: money(spend.monthMicroRub),
      total: money(spend.totalMicroRub),
    })
    const estimated = t('usage-estimated', { estimated: money(spend.estimatedMicroRub) })
    await answer(spend.estimatedMicroRub === 0n ? sums : `${sums}\n\n${estimated}`)
  }
}
