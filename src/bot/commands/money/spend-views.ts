/** The messages of `/spend` and their buttons. */
import type { InlineKeyboardButton } from 'grammy/types'
import { formatDate, markInstant } from '../../locales/dates.ts'
import type { Texts } from '../../locales/texts.ts'
import { itemText } from '../../media/option-texts.ts'
import { nameUser } from '../../people/users.ts'
import { leaveOutHidden } from '../../rich-text/parse/hidden-characters.ts'
import { formatMoney } from '../../spend/format.ts'
import type { UsersFound } from '../../spend/reports/find-users.ts'
import type { Overview, Spenders, UserName, UserSpend } from '../../spend/reports/overview.ts'
import { type DateRange, type ReportSpan, SPANS } from '../../spend/reports/span.ts'
import type { Spend } from '../../spend/reports/spend.ts'
import type { PastOrder, UnpricedOrders } from '../../spend/reports/spend-reports.ts'
import type { Command } from '../command.ts'
import { pageTurns } from '../views.ts'
import {
  type AmountRow,
  type AmountTable,
  spentTables,
  toTextBody,
  withoutSingles,
} from './amount-table.ts'

/** The reader, and texts in their language. */
export type SpendReader = Pick<Command, 't' | 'user'>

/** A page of the list of users, shown or behind Back. */
export interface ListTarget {
  span: ReportSpan
  page: number
}

/** A user's page, and where it was opened. */
export interface UserTarget extends ListTarget {
  userId: number
}

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

/** The users on a page of the list. */
export const PAGE_SIZE = 20
const BUTTONS_IN_ROW = 5
const ROWS_MAX = 8

const SPAN = '(today|7d|30d|month|all)'
const TARGET = `${SPAN}:(\\d{1,5})`
const ID = '(-?\\d{1,15})'

/** The data of a press: the page and the span that it leads to, or is about. Buttons of old messages still work. */
export const LIST_DATA = new RegExp(`^spend:${TARGET}$`)
export const USER_DATA = new RegExp(`^spend-user:${TARGET}:${ID}$`)
export const FILE_DATA = new RegExp(`^spend-csv:${SPAN}$`)

/** Asks for the picture of the last 30 days. */
export const PICTURE_DATA = 'spend-picture'

const SPAN_NAMES: Readonly<Record<ReportSpan, string>> = {
  today: 'today',
  '7d': 'week',
  '30d': 'days',
  month: 'month',
  all: 'all',
}

/** Reads the span, the page and, if there is one, the user's id that a pattern has found. */
export function toTarget([span, page, userId]: readonly (string | undefined)[]): UserTarget {
  return { span: span as ReportSpan, page: Number(page), userId: Number(userId ?? 0) }
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
  const hasMore = users.length > 0 && rest.users > target.page * PAGE_SIZE
  const keyboard = {
    inline_keyboard: [
      ...userButtons(users, target, first),
      ...pageTurns({ page: target.page, hasMore, t }, (page) => listData({ ...target, page })),
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

/** A user in a list: by the username, which is one user's alone, otherwise by the name. */
function shortNameOf({ id, firstName, username }: UserName): string {
  if (username !== null) return `@${username}`
  // A user who had everything erased has only an id, and some names show nothing.
  return leaveOutHidden(firstName).text.trim() || `id ${id}`
}

function fullNameOf(user: UserName): string {
  return `${nameUser(user)}, id ${user.id}`
}

/** Such as "Last 7 days, 15 Nov 2026 – 21 Nov 2026". */
function headOf(
  { span, from, to }: DateRange & { span: ReportSpan },
  { t, user }: SpendReader,
): string {
  const date = (day: string) => formatDate(day, user.languageCode)
  const name = t('spend-span', { span: SPAN_NAMES[span] })
  if (from === undefined) return name
  return from === to ? `${name}, ${date(to)}` : `${name}, ${date(from)} – ${date(to)}`
}

/** Writes the remarks on a sum: how much of it is an estimate, was re-sent history, or was written off. */
function remarksOf(
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

/** Two rows: days, then longer spans; the shown span is marked. */
function spanButtons(
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

function listData({ span, page }: ListTarget): string {
  return `spend:${span}:${page}`
}

function userData({ span, page, userId }: UserTarget): string {
  return `spend-user:${span}:${page}:${userId}`
}

function fileData(span: ReportSpan): string {
  return `spend-csv:${span}`
}
