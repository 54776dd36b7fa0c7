import type { InlineKeyboardButton } from 'grammy/types'
import { formatDate, markInstant } from '../../../locales/dates.ts'
import type { Texts } from '../../../locales/texts.ts'
import { itemText } from '../../../media/options/option-texts.ts'
import { formatMoney } from '../../../spend/format.ts'
import type { Overview, UserName } from '../../../spend/reports/overview.ts'
import type { PastOrder } from '../../../spend/reports/spend-reports.ts'
import { type AmountRow, type AmountTable, toTextBody, withoutSingles } from '../../amount-table.ts'
import { spentTables } from '../../spent-tables.ts'
import { listData, type UserTarget, userData } from './spend-data.ts'
import { fullNameOf, headOf, remarksOf, type SpendReader, spanButtons } from './spend-words.ts'

const ROWS_MAX = 8

/** The facts of one user. */
export interface UserFacts {
  user: UserName
  overview: Overview
  limits: readonly string[]
  orders: readonly PastOrder[]
  unpriced: readonly string[]
  timeZone: string
  texts: Texts
}

/** One user's spend of a span, from all sides. */
export function userView(facts: UserFacts, target: UserTarget, reader: SpendReader) {
  const { user, overview, limits, orders, unpriced } = facts
  const { sum } = overview
  const { languageCode } = reader.user
  const amount = formatMoney(sum.amountMicroRub, languageCode)
  const inAll = reader.t('spend-sum', { amount, charges: sum.charges })
  const body = toTextBody(
    [
      `${fullNameOf(user)}\n${headOf({ ...overview, span: target.span }, reader)}\n${inAll}`,
      ...remarksOf(sum, reader),
      ...tablesOf(facts, reader),
      ...unpriced,
      ...(limits.length > 0 ? [limits.join('\n')] : []),
      ...(orders.length > 0 ? [describeOrders(orders, facts, reader)] : []),
    ],
    languageCode,
  )
  return { body, keyboard: { inline_keyboard: buttonsOf(target, reader) } }
}

function tablesOf({ overview, texts }: UserFacts, { t, user }: SpendReader) {
  const { from, to, byDay } = overview
  const headings = { kinds: t('spend-kinds'), items: t('spend-items') }
  const { languageCode } = user
  const spent = spentTables(overview, headings, { languageCode, texts })
  const days = byDay
    .filter(({ byKind }) => byKind.size > 0)
    .map(({ day, amountMicroRub }) => ({ amountMicroRub, label: formatDate(day, languageCode) }))
    .reverse()
  const tables: AmountTable[] = [
    ...spent.map(({ heading, rows }) => ({ heading, rows: fold(rows, t('spend-other-items')) })),
    // The only day of a range stands above.
    ...(from === to ? [] : [{ heading: t('spend-days'), rows: fold(days, t('spend-earlier')) }]),
  ]
  return withoutSingles(tables, (what) => t('spend-only', { what }))
}

function fold(rows: readonly AmountRow[], label: string): readonly AmountRow[] {
  if (rows.length <= ROWS_MAX) return rows
  const folded = rows.slice(ROWS_MAX - 1)
  const amountMicroRub = folded.reduce((sum, row) => sum + row.amountMicroRub, 0n)
  return [...rows.slice(0, ROWS_MAX - 1), { amountMicroRub, label }]
}

function describeOrders(
  orders: readonly PastOrder[],
  { timeZone, texts }: UserFacts,
  { t, user: { languageCode } }: SpendReader,
): string {
  const lines = orders.map(({ item, state, amountMicroRub, isUnpriced, createdAt }) =>
    t('spend-order', {
      item: itemText(item, { languageCode, texts }),
      at: markInstant(createdAt, { languageCode, timeZone }),
      state,
      amount:
        isUnpriced && state !== 'failed'
          ? t('price-unknown')
          : formatMoney(amountMicroRub ?? 0n, languageCode),
    }),
  )
  return [t('spend-orders'), ...lines].join('\n')
}

function buttonsOf(target: UserTarget, { t }: SpendReader): InlineKeyboardButton[][] {
  return [
    ...spanButtons(target.span, t, (span) => userData({ ...target, span })),
    [{ text: t('page-previous'), callback_data: listData(target) }],
  ]
}
