import { formatInstant, YEAR_DAYS } from '../../locales/dates.ts'
import type { BalanceCheck } from '../../spend/check/balance-check.ts'
import { CAUSES } from '../../spend/check/explain-difference.ts'
import type { ServiceBalance } from '../../spend/check/service-balance.ts'
import { formatExactMoney, formatMoney } from '../../spend/format.ts'
import type { Command, CommandDefinition } from '../command.ts'

interface BalanceDeps {
  balance: Pick<ServiceBalance, 'report'>
  timeZone: string
}

/** Shows what is left on the service's account, for how long, and whether the charges account for it. */
export const balanceCommand: CommandDefinition<BalanceDeps> = {
  name: 'balance',
  audience: 'viewers',
  create: ({ balance, timeZone }) => ({
    async handle(command) {
      const { user, t, answer } = command
      const report = await balance.report()
      if (report === undefined) return answer(t('service-unavailable'))
      const { balanceMicroRub, dayPaceMicroRub, daysLeft, check } = report
      const money = (microRub: bigint) => formatMoney(microRub, user.languageCode)
      const outlook = describeOutlook(daysLeft, money(dayPaceMicroRub), t)
      const left = t('balance', { balance: money(balanceMicroRub) })
      await answer([`${left}\n${outlook}`, describeCheck(check, timeZone, command)].join('\n\n'))
    },
  }),
}

function describeOutlook(daysLeft: number | undefined, pace: string, t: Command['t']): string {
  if (daysLeft === undefined) return t('balance-no-pace')
  if (daysLeft > YEAR_DAYS) return t('balance-pace-year', { pace })
  return t('balance-pace', { pace, days: Math.floor(daysLeft) })
}

/** Writes money to the micro-rouble: a check that rounds checks nothing. */
function describeCheck(check: BalanceCheck, timeZone: string, { user, t }: Command): string {
  const { languageCode } = user
  const exact = (microRub: bigint) => formatExactMoney(microRub, languageCode)
  const causes = CAUSES.filter((cause) => check.causes[cause] !== 0n)
  const lines = causes.map((cause) =>
    t('balance-cause', { amount: exact(check.causes[cause]), cause }),
  )
  return [
    t('balance-check', {
      from: formatInstant(check.from, { languageCode, timeZone }),
      moved: exact(check.movedMicroRub),
      charged: exact(check.chargedMicroRub),
      difference: exact(check.differenceMicroRub),
    }),
    ...lines,
    ...(check.isSettled ? [] : [t('balance-unsettled')]),
  ].join('\n')
}
