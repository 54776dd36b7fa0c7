import type { InlineKeyboardButton } from 'grammy/types'
import { formatDate } from '../../../locales/dates.ts'
import type { Texts } from '../../../locales/texts.ts'
import { itemText } from '../../../media/options/option-texts.ts'
import { nameUser } from '../../../people/users.ts'
import { leaveOutHidden } from '../../../rich-text/parse/hidden-characters.ts'
import { formatMoney } from '../../../spend/format.ts'
import type { UserName } from '../../../spend/reports/overview.ts'
import { type DateRange, type ReportSpan, SPANS } from '../../../spend/reports/span.ts'
import type { Spend } from '../../../spend/reports/spend.ts'
import type { UnpricedOrders } from '../../../spend/reports/spend-reports.ts'
import type { Command } from '../../command.ts'

const SPAN_NAMES: Readonly<Record<ReportSpan, string>> = {
  today: 'today',
  '7d': 'week',
  '30d': 'days',
  month: 'month',
  all: 'all',
}

/** The reader, and texts in their language. */
export type SpendReader = Pick<Command, 't' | 'user'>

/** A user in a list: by the username, which is one user's alone, otherwise by the name. */
export function shortNameOf({ id, firstName, username }: UserName): string {
  if (username !== null) return `@${username}`
  // Of who had everything erased only the id is left, of some there never was more to see.
  return leaveOutHidden(firstName).text.trim() || `id ${id}`
}

export function fullNameOf(user: UserName): string {
  return `${nameUser(user)}, id ${user.id}`
}

/** Such as "Last 7 days, 15 Nov 2026 – 21 Nov 2026". */
export function headOf(
  { span, from, to }: DateRange & { span: ReportSpan },
  { t, user }: SpendReader,
): string {
  const date = (day: string) => formatDate(day, user.languageCode)
  const name = t('spend-span', { span: SPAN_NAMES[span] })
  if (from === undefined) return name
  return from === to ? `${name}, ${date(to)}` : `${name}, ${date(from)} – ${date(to)}`
}

/** Writes the remarks on a sum: how much of it is an estimate, was re-sent history, or was written off. */
export function remarksOf(
  { amountMicroRub, estimatedMicroRub, writtenOffMicroRub, historyMicroRub }: Spend,
  { t, user }: SpendReader,
): string[] {
  const money = (microRub: bigint) => formatMoney(microRub, user.languageCode)
  const isPart = historyMicroRub > 0n && historyMicroRub <= amountMicroRub
  const lines = [
    ...(estimatedMicroRub === 0n
      ? []
      : [t('spend-estimated', { amount: money(estimatedMicroRub) })]),
    ...(isPart
      ? [
          t('spend-history', {
            amount: money(historyMicroRub),
            percent: Number((historyMicroRub * 100n) / amountMicroRub),
          }),
        ]
      : []),
    ...(writtenOffMicroRub === 0n
      ? []
      : [t('spend-written-off', { amount: money(writtenOffMicroRub) })]),
  ]
  return lines.length === 0 ? [] : [lines.join('\n')]
}

/** Lists the orders that have no price, and so no charge. */
export function unpricedOf(
  orders: readonly UnpricedOrders[],
  texts: Texts,
  { t, user: { languageCode } }: SpendReader,
): string[] {
  if (orders.length === 0) return []
  const lines = orders.map(
    ({ item, count }) => `${itemText(item, { languageCode, texts })}: ${count}`,
  )
  return [[t('spend-unpriced'), ...lines].join('\n')]
}

/** Two rows: the days, then the longer spans; the one that is shown is marked. */
export function spanButtons(
  shown: ReportSpan,
  t: Command['t'],
  dataOf: (span: ReportSpan) => string,
): InlineKeyboardButton[][] {
  const buttons = SPANS.map((span) => {
    const name = t('spend-span-button', { span: SPAN_NAMES[span] })
    return { text: span === shown ? `• ${name}` : name, callback_data: dataOf(span) }
  })
  return [buttons.slice(0, 3), buttons.slice(3)]
}
