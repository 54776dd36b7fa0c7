import type { InlineKeyboardButton } from 'grammy/types'
import type { LimitPeriod } from '../../platform/database/generated/enums.ts'
import { formatMoney } from '../spend/format.ts'
import type { ChangedLimit, Limits } from '../spend/limits/limits.ts'
import type { Command } from './command.ts'

const PERIODS = ['day', 'week', 'month', 'all'] as const satisfies LimitPeriod[]
const ROUBLES = [
  [100, 200, 500],
  [1000, 2000, 5000],
]
const MICRO_RUB_PER_RUB = 1_000_000n

/** The periods and the choices of limits in the data of buttons. */
export const PERIOD_DATA = '(day|week|month|all)'
export const CHOICE_DATA = '(\\d{1,6}|none|default)'

/** The choice of a limit's button: roubles, no limit, or the default again. */
export type LimitChoice = number | 'none' | 'default'

type Reader = Pick<Command, 'user' | 't'>

/** The row of buttons that choose the period of a limit. */
export function periodRow(
  dataOf: (period: LimitPeriod) => string,
  { t }: Reader,
): InlineKeyboardButton[] {
  return PERIODS.map((period) => ({
    text: t('spend-limit-period', { period }),
    callback_data: dataOf(period),
  }))
}

/** The rows of buttons that choose its amount. */
export function amountRows(
  dataOf: (roubles: number) => string,
  { user }: Reader,
): InlineKeyboardButton[][] {
  return ROUBLES.map((row) =>
    row.map((roubles) => ({
      text: formatMoney(BigInt(roubles) * MICRO_RUB_PER_RUB, user.languageCode),
      callback_data: dataOf(roubles),
    })),
  )
}

/** Sets a limit as a button chose it. Safe to repeat. */
export async function setChosen(
  limits: Pick<Limits, 'set' | 'clear'>,
  limit: ChangedLimit,
  choice: string,
): Promise<void> {
  if (choice === 'default') return limits.clear(limit)
  const amountMicroRub = choice === 'none' ? null : BigInt(choice) * MICRO_RUB_PER_RUB
  await limits.set({ ...limit, amountMicroRub })
}
