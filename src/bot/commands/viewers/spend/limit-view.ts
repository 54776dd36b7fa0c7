import type { InlineKeyboardButton } from 'grammy/types'
import type { LimitPeriod } from '../../../../platform/database/generated/enums.ts'
import type { UserName } from '../../../spend/reports/overview.ts'
import { amountRows, type LimitChoice, periodRow } from '../../limit-choices.ts'
import { limitData, type UserTarget, userData } from './spend-data.ts'
import { fullNameOf, type SpendReader } from './spend-words.ts'

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
  const rows = period === undefined ? periodRows(target, reader) : amountsOf(target, period, reader)
  const keyboard = [...rows, [{ text: t('page-previous'), callback_data: backTo }]]
  return { text: text.join('\n\n'), keyboard: { inline_keyboard: keyboard } }
}

function periodRows(target: UserTarget, reader: SpendReader): InlineKeyboardButton[][] {
  return [periodRow((period) => limitData(target, period), reader)]
}

function amountsOf(
  target: UserTarget,
  period: LimitPeriod,
  reader: SpendReader,
): InlineKeyboardButton[][] {
  const { t } = reader
  const dataOf = (choice: LimitChoice) => limitData(target, period, choice)
  return [
    ...amountRows(dataOf, reader),
    [
      { text: t('spend-limit-none'), callback_data: dataOf('none') },
      { text: t('spend-limit-default'), callback_data: dataOf('default') },
    ],
  ]
}
