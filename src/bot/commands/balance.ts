import type { BalanceCheck, Outlook, ServiceBalance } from '../spend/balance.ts'
import { formatExactMoney, formatMoney } from '../spend/format.ts'
import { markInstant } from '../texts/dates.ts'
import type { Command, CommandDefinition } from './command.ts'

interface BalanceApp {
  balance: Pick<ServiceBalance, 'check' | 'outlook'>
  timeZone: string
}

/**
 * Shows the remaining money, how long it lasts, and the check of the charges; for an operator's own money, the rest of
 * the month's limit for everybody.
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
  const { balanceMicroRub, month, dayPaceMicroRub, daysLeft = 0 } = outlook
  const money = (microRub: bigint) => formatMoney(microRub, user.languageCode)
  const pace = { pace: money(dayPaceMicroRub), days: Math.floor(daysLeft) }
  const spent = month && t('balance-month', { spent: money(month.spentMicroRub) })
  if (balanceMicroRub === undefined) return `${spent}\n${t('balance-no-limit')}`
  const left = money(balanceMicroRub > 0n ? balanceMicroRub : 0n)
  const whole =
    month?.limitMicroRub === undefined
      ? t('balance', { balance: left })
      : `${spent} ${t('balance-limit', { amount: left, limit: money(month.limitMicroRub) })}`
  return [whole, t(dayPaceMicroRub === 0n ? 'balance-no-pace' : 'balance-pace', pace)].join('\n')
}

/** Writes money to the micro-rouble: rounding would defeat the check. */
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
    ...(check.differenceMicroRub === 0n ? [] : [t('balance-unsettled')]),
  ].join('\n')
}
