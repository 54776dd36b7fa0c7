import type { BalanceCheck, MonthSpend, Outlook, ServiceBalance } from '../spend/balance.ts'
import { formatExactMoney, formatMoney } from '../spend/format.ts'
import { markInstant, YEAR_DAYS } from '../texts/dates.ts'
import type { Command, CommandDefinition } from './command.ts'

interface BalanceApp {
  balance: Pick<ServiceBalance, 'check' | 'outlook'>
  timeZone: string
}

/**
 * Shows what is left to spend, for how long, and whether the charges account for it. If the money is the operator's own,
 * that is the rest of the limit for everybody in the month.
 */
export const balanceCommand: CommandDefinition<BalanceApp> = {
  name: 'balance',
  audience: 'viewers',
  async handle({ balance, timeZone }, command) {
    const { t, answer } = command
    const check = await balance.check()
    const outlook = await balance.outlook()
    if (check === undefined || outlook === undefined) return answer(t('service-unavailable'))
    await answer(
      [describeOutlook(outlook, command), describeCheck(check, timeZone, command)].join('\n\n'),
    )
  },
}

function describeOutlook(outlook: Outlook, { user, t }: Command): string {
  const { balanceMicroRub, month, dayPaceMicroRub, daysLeft } = outlook
  const money = (microRub: bigint) => formatMoney(microRub, user.languageCode)
  const pace = money(dayPaceMicroRub)
  const left =
    month === undefined
      ? t('balance', { balance: money(balanceMicroRub ?? 0n) })
      : describeMonth(month)
  const isUnlimited = month !== undefined && month.limitMicroRub === undefined
  return [left, describePace(), ...(isUnlimited ? [t('balance-no-limit')] : [])].join('\n')

  function describeMonth({ spentMicroRub, limitMicroRub }: MonthSpend): string {
    const spent = t('balance-month', { spent: money(spentMicroRub) })
    if (limitMicroRub === undefined) return spent
    const key = spentMicroRub > limitMicroRub ? 'balance-limit-over' : 'balance-limit'
    const leftMicroRub = limitMicroRub - spentMicroRub
    const amount = leftMicroRub < 0n ? -leftMicroRub : leftMicroRub
    return `${spent} ${t(key, { amount: money(amount), limit: money(limitMicroRub) })}`
  }

  function describePace(): string {
    if (dayPaceMicroRub === 0n) return t('balance-no-pace')
    if (daysLeft === undefined) return t('balance-pace-alone', { pace })
    if (daysLeft > YEAR_DAYS) return t('balance-pace-year', { pace })
    if (month !== undefined && daysLeft > month.daysLeft) return t('balance-pace-month', { pace })
    return t('balance-pace', { pace, days: Math.floor(daysLeft) })
  }
}

/** Writes money to the micro-rouble: a check that rounds checks nothing. */
function describeCheck(check: BalanceCheck, timeZone: string, { user, t }: Command): string {
  const { languageCode } = user
  const exact = (microRub: bigint) => formatExactMoney(microRub, languageCode)
  return [
    t('balance-check', {
      from: markInstant(check.from, { languageCode, timeZone }),
      moved: exact(check.movedMicroRub),
      charged: exact(check.chargedMicroRub),
      difference: exact(check.differenceMicroRub),
    }),
    ...(check.mayEvenOut ? [t('balance-unsettled')] : []),
  ].join('\n')
}
