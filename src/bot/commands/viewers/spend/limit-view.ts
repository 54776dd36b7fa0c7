import type { InlineKeyboardButton } from 'grammy/types'
import type { LimitPeriod } from '../../../../platform/database/generated/enums.ts'
import { formatMoney } from '../../../spend/format.ts'
import type { UserName } from '../../../spend/reports/overview.ts'
import { type LimitChoice, limitData, type UserTarget, userData } from './spend-data.ts'
import { fullNameOf, type SpendReader } from './spend-words.ts'

const PERIODS = ['day', 'week', 'month', 'all'] as const satisfies LimitPeriod[]
const ROUBLES = [
  [100, 200, 500],
  [1000, 2000, 5000],
]
const MICRO_RUB_PER_RUB = 1_000_000n

export interface ChosenLimit {
  user: UserName
  /** The remainders of the limits that hold, line by line. */
  limits: readonly string[]
  /** Undefined until it is chosen. */
  period: LimitPeriod | undefined
}

/** Lets an admin choose a user's limit: its period, then its amount. Any other amount takes `/limit`. */
export function limitView(
  { user, limits, period }: ChosenLimit,
  target: UserTarget,
  reader: SpendReader,
) {
  const { t } = reader
  const asked = period === undefined ? 'period' : 'amount'
  const hint = t('spend-limit-choose', { asked, period: period ?? 'day', id: String(user.id) })
  const text = [fullNameOf(user), ...(limits.length > 0 ? [limits.join('\n')] : []), hint]
  const backTo = period === undefined ? userData(target) : limitData(target)
  const rows =
    period === undefined ? periodRows(target, reader) : amountRows(target, period, reader)
  const keyboard = [...rows, [{ text: t('page-previous'), callback_data: backTo }]]
  return { text: text.join('\n\n'), keyboard: { inline_keyboard: keyboard } }
}

function periodRows(target: UserTarget, { t }: SpendReader): InlineKeyboardButton[][] {
  return [
    PERIODS.map((period) => ({
      text: t('spend-limit-period', { period }),
      callback_data: limitData(target, period),
    })),
  ]
}

function amountRows(
  target: UserTarget,
  period: LimitPeriod,
  { t, user }: SpendReader,
): InlineKeyboardButton[][] {
  const button = (text: string, choice: LimitChoice) => ({
    text,
    callback_data: limitData(target, period, choice),
  })
  const amount = (roubles: number) =>
    button(formatMoney(BigInt(roubles) * MICRO_RUB_PER_RUB, user.languageCode), roubles)
  return [
    ...ROUBLES.map((row) => row.map(amount)),
    [button(t('spend-limit-none'), 'none'), button(t('spend-limit-default'), 'default')],
  ]
}
