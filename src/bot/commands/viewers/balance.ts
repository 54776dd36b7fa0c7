import { formatInstant, YEAR_DAYS } from '../../locales/dates.ts'
import type { Budget } from '../../spend/budget.ts'
import type { BalanceCheck } from '../../spend/check/balance-check.ts'
import { CAUSES } from '../../spend/check/explain-difference.ts'
import type { MonthSpend, Outlook, ServiceBalance } from '../../spend/check/service-balance.ts'
import { formatExactMoney, formatMoney, parseMoney } from '../../spend/format.ts'
import type { Command, CommandDefinition } from '../command.ts'

const BUDGET_MAX_MICRO_RUB = 10n ** 15n

interface BalanceDeps {
  balance: Pick<ServiceBalance, 'report'>
  /** Undefined where the account at the service has the money. */
  budget?: Budget | undefined
  timeZone: string
}

/**
 * Shows what is left to spend, for how long, and whether the charges account for it. Where the money is the operator's
 * own, that is a budget, if an admin has set one.
 */
export const balanceCommand: CommandDefinition<BalanceDeps> = {
  name: 'balance',
  audience: 'viewers',
  usage: '[roubles|off]',
  create: ({ balance, budget, timeZone }) => ({
    async handle(command) {
      const { t, answer } = command
      const refusal = await setBudget(budget, command)
      if (refusal !== undefined) return answer(t(refusal))
      const report = await balance.report()
      if (report === undefined) return answer(t('service-unavailable'))
      const { check, ...outlook } = report
      await answer(
        [describeOutlook(outlook, command), describeCheck(check, timeZone, command)].join('\n\n'),
      )
    },
  }),
}

/** Sets what an admin wrote behind the command. @returns The name of the text that refuses it. */
async function setBudget(
  budget: Budget | undefined,
  { argument, isAdmin, user }: Command,
): Promise<string | undefined> {
  if (argument === '') return undefined
  if (budget === undefined) return 'balance-not-own'
  if (!isAdmin) return 'balance-admins-set'
  const isOff = argument.toLowerCase() === 'off'
  const monthMicroRub = isOff ? undefined : parseMoney(argument)
  const isAmount = monthMicroRub !== undefined && monthMicroRub <= BUDGET_MAX_MICRO_RUB
  if (!isOff && !isAmount) return 'balance-usage'
  await budget.set({ monthMicroRub }, { adminId: user.id })
  return undefined
}

function describeOutlook(outlook: Outlook, { user, t }: Command): string {
  const { balanceMicroRub, month, dayPaceMicroRub, daysLeft } = outlook
  const money = (microRub: bigint) => formatMoney(microRub, user.languageCode)
  const pace = money(dayPaceMicroRub)
  const left =
    month === undefined
      ? t('balance', { balance: money(balanceMicroRub ?? 0n) })
      : describeMonth(month)
  return [left, describePace(), ...(hasBudget(month) ? [] : [t('balance-no-budget')])].join('\n')

  function describeMonth({ spentMicroRub, budgetMicroRub }: MonthSpend): string {
    const spent = t('balance-month', { spent: money(spentMicroRub) })
    if (budgetMicroRub === undefined) return spent
    const key = spentMicroRub > budgetMicroRub ? 'balance-budget-over' : 'balance-budget'
    const leftMicroRub = budgetMicroRub - spentMicroRub
    const amount = leftMicroRub < 0n ? -leftMicroRub : leftMicroRub
    return `${spent} ${t(key, { amount: money(amount), budget: money(budgetMicroRub) })}`
  }

  function describePace(): string {
    if (dayPaceMicroRub === 0n) return t('balance-no-pace')
    if (daysLeft === undefined) return t('balance-pace-alone', { pace })
    if (daysLeft > YEAR_DAYS) return t('balance-pace-year', { pace })
    if (month !== undefined && daysLeft > month.daysLeft) return t('balance-pace-month', { pace })
    return t('balance-pace', { pace, days: Math.floor(daysLeft) })
  }
}

/** True also where there needs to be none. */
function hasBudget(month: MonthSpend | undefined): boolean {
  return month === undefined || month.budgetMicroRub !== undefined
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
