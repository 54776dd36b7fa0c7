import type { InlineKeyboardButton } from 'grammy/types'
import { formatMoney } from '../../../spend/format.ts'
import type { UsersFound } from '../../../spend/reports/find-users.ts'
import type { Spenders, UserSpend } from '../../../spend/reports/overview.ts'
import type { ReportSpan } from '../../../spend/reports/span.ts'
import { type AmountRow, toTextBody, withoutSingles } from '../../amount-table.ts'
import { fileData, type ListTarget, listData, PICTURE_DATA, userData } from './spend-data.ts'
import { headOf, remarksOf, type SpendReader, shortNameOf, spanButtons } from './spend-words.ts'

export const PAGE_SIZE = 20
const BUTTONS_IN_ROW = 5

/** One page of who spent how much: their lines and that of all the others come to the sum above them. */
export function spendersView(
  spenders: Spenders,
  unpriced: readonly string[],
  target: ListTarget,
  reader: SpendReader,
) {
  const { t, user } = reader
  const { sum, users, rest, byKind } = spenders
  const first = target.page * PAGE_SIZE + 1
  const rows: AmountRow[] = users.map((one, index) => toRow(one, first + index))
  if (rest.users > 0) {
    rows.push({ ...rest.spend, rank: '', label: t('spend-rest', { count: rest.users }) })
  }
  const amount = formatMoney(sum.amountMicroRub, user.languageCode)
  const inAll = t('spend-sum', { amount, charges: sum.charges })
  const kinds = byKind.map(({ kind, spend }) => ({ ...spend, label: t('spend-kind', { kind }) }))
  const tables = [
    { heading: t('spend-users'), rows },
    { heading: t('spend-kinds'), rows: kinds },
  ]
  const body = toTextBody(
    [
      `${headOf({ ...spenders, span: target.span }, reader)}\n${inAll}`,
      ...remarksOf(sum, reader),
      ...(rows.length > 0
        ? withoutSingles(tables, (what) => t('spend-only', { what }))
        : [t('spend-none')]),
      ...unpriced,
    ],
    user.languageCode,
  )
  const keyboard = {
    inline_keyboard: [
      ...userButtons(users, target, first),
      ...turnButtons(spenders, target, reader),
      ...spanButtons(target.span, t, (span) => listData({ span, page: 0 })),
      [
        { text: t('spend-picture-button'), callback_data: PICTURE_DATA },
        { text: t('spend-file-button'), callback_data: fileData(target.span) },
      ],
    ],
  }
  return { body, keyboard }
}

/** Writes the view of the users that a search found, if there are several. */
export function foundView(
  { users, total }: UsersFound,
  { search, span }: { search: string; span: ReportSpan },
  reader: SpendReader,
) {
  const { t, user } = reader
  const more = total - users.length
  const rows = users.map((one, index) => toRow(one, index + 1))
  const body = toTextBody(
    [
      { heading: t('spend-found', { search, count: total }), rows },
      ...(more > 0 ? [t('spend-found-more', { count: more })] : []),
    ],
    user.languageCode,
  )
  return {
    body,
    keyboard: { inline_keyboard: userButtons(users, { span, page: 0 }, 1) },
  }
}

function toRow({ user, spend }: UserSpend, rank: number): AmountRow {
  return { ...spend, rank: `${rank}`, label: shortNameOf(user) }
}

function userButtons(users: readonly UserSpend[], target: ListTarget, first: number) {
  const buttons = users.map(({ user }, index) => ({
    text: users.length === 1 && first === 1 ? shortNameOf(user) : `${first + index}`,
    callback_data: userData({ ...target, userId: Number(user.id) }),
  }))
  const rows: InlineKeyboardButton[][] = []
  for (let at = 0; at < buttons.length; at += BUTTONS_IN_ROW) {
    rows.push(buttons.slice(at, at + BUTTONS_IN_ROW))
  }
  return rows
}

function turnButtons({ users, rest }: Spenders, { span, page }: ListTarget, { t }: SpendReader) {
  const hasNext = users.length > 0 && rest.users > page * PAGE_SIZE
  const turns: InlineKeyboardButton[] = [
    ...(page > 0
      ? [{ text: t('page-previous'), callback_data: listData({ span, page: page - 1 }) }]
      : []),
    ...(hasNext
      ? [{ text: t('page-next'), callback_data: listData({ span, page: page + 1 }) }]
      : []),
  ]
  return turns.length > 0 ? [turns] : []
}
