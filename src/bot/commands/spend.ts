/** `/spend`: who spent how much on what, a user's page, and every charge as a file. */
import type { InlineKeyboardButton } from 'grammy/types'
import type { PrismaClient } from '../../platform/database/generated/client.ts'
import { itemText } from '../media/option-texts.ts'
import { nameUser } from '../people/users.ts'
import { leaveOutHidden } from '../rich-text/characters.ts'
import { CHARGES_MAX, writeChargesCsv } from '../spend/charges-csv.ts'
import { formatMoney } from '../spend/format.ts'
import type { LimitTexts } from '../spend/limit-texts.ts'
import type { Limits } from '../spend/limits.ts'
import {
  type DateRange,
  type PastOrder,
  type ReportSpan,
  type Reports,
  SPANS,
  type Spend,
  type UserSpend,
} from '../spend/reports.ts'
import type { SpendPictures } from '../spend/spend-pictures.ts'
import type { UserName } from '../spend/users.ts'
import { formatDate, markInstant } from '../texts/dates.ts'
import { shortenLine } from '../texts/shorten.ts'
import type { Texts } from '../texts/texts.ts'
import type { Command, CommandDefinition, Press } from './command.ts'
import {
  type AmountRow,
  describeLimits,
  describeParts,
  kindTable,
  type Reader,
  remarksOf,
  toTextBody,
  withoutSingles,
} from './spend-text.ts'
import { pageTurns } from './views.ts'

const FIRST_SPAN: ReportSpan = 'month'
const ORDERS_SHOWN = 5
const SEARCH_CHARS_MAX = 40
const PAGE_SIZE = 20
const BUTTONS_IN_ROW = 5

const SPAN = '(today|7d|30d|month|all)'
const TARGET = `${SPAN}:(\\d{1,5})`
/** The data of a button: the span and the page that it leads to, or is about. Buttons of old messages still work. */
const LIST_DATA = new RegExp(`^spend:${TARGET}$`)
const USER_DATA = new RegExp(`^spend-user:${TARGET}:(-?\\d{1,15})$`)
const FILE_DATA = new RegExp(`^spend-csv:${SPAN}$`)
const PICTURE_DATA = 'spend-picture'

const SPAN_NAMES: Readonly<Record<ReportSpan, string>> = {
  today: 'today',
  '7d': 'week',
  '30d': 'days',
  month: 'month',
  all: 'all',
}

interface SpendApp {
  prisma: Pick<PrismaClient, 'charge'>
  reports: Reports
  spendPictures: Pick<SpendPictures, 'ofAll'>
  limits: Pick<Limits, 'ofSubject'>
  limitTexts: LimitTexts
  texts: Texts
  timeZone: string
}

/** A page of the list of users, shown or behind Back; for a user's page with the user. */
interface Target {
  span: ReportSpan
  page: number
  userId?: number
}

/** Shows admins and viewers who spent how much on what, a user's page, and every charge as a file. */
export const spendCommand: CommandDefinition<SpendApp> = {
  name: 'spend',
  audience: 'viewers',
  listed: 'in_private',
  usage: '[name|id|csv]',
  async handle(app, command) {
    const { argument, answer, t } = command
    const [first = '', ...rest] = argument.toLowerCase().split(/\s+/)
    if (first === 'csv' && rest.length <= 1) {
      const span = toSpan(rest[0] ?? FIRST_SPAN)
      return span === undefined ? answer(t('spend-csv-usage')) : sendCharges(app, span, command)
    }
    const span = argument === '' ? FIRST_SPAN : toSpan(argument)
    const view =
      span === undefined
        ? await searchView(app, argument, command)
        : await listView(app, { span, page: 0 }, command)
    if (view === undefined) {
      return answer(t('spend-nobody', { search: shortenLine(argument, SEARCH_CHARS_MAX) }))
    }
    const { text, entities } = view.body
    await answer(text, { entities, keyboard: view.keyboard })
  },
  presses: [
    { data: LIST_DATA, press: (app, press) => showTarget(app, press, listView) },
    { data: USER_DATA, press: (app, press) => showTarget(app, press, userView) },
    {
      data: FILE_DATA,
      async press(app, press) {
        await press.notify(press.t('spend-file-comes'))
        await sendCharges(app, press.match[1] as ReportSpan, press)
      },
    },
    {
      data: PICTURE_DATA,
      async press({ spendPictures }, { user, t, notify, answer }) {
        await notify()
        const picture = await spendPictures.ofAll(user.languageCode)
        await answer(t(picture === undefined ? 'spend-picture-failed' : 'chart-all'), { picture })
      },
    },
  ],
}

type View = Awaited<ReturnType<typeof listView>>

async function showTarget(
  app: SpendApp,
  press: Press,
  viewOf: (app: SpendApp, target: Target, reader: Reader) => Promise<View | undefined>,
): Promise<void> {
  await press.notify()
  const [, span, page, userId] = press.match
  const target = { span: span as ReportSpan, page: Number(page), userId: Number(userId ?? 0) }
  const view = await viewOf(app, target, press)
  if (view !== undefined) await press.edit(view.body, { keyboard: view.keyboard })
}

function toSpan(text: string): ReportSpan | undefined {
  return SPANS.find((span) => span === text.toLowerCase())
}

/** Shows the only user that a search means, or lists several; undefined if there is none. */
async function searchView(
  app: SpendApp,
  search: string,
  reader: Reader,
): Promise<View | undefined> {
  const { t, user } = reader
  const first = { span: FIRST_SPAN, page: 0 }
  const asked = { span: FIRST_SPAN, search, skip: 0, take: PAGE_SIZE }
  const { users, total } = await app.reports.users(asked)
  const [only] = users
  if (only === undefined) return undefined
  if (total === 1) return userView(app, { ...first, userId: Number(only.user.id) }, reader)
  const shown = shortenLine(search, SEARCH_CHARS_MAX)
  const more = total - users.length
  const table = {
    heading: t('spend-found', { search: shown, count: total }),
    rows: toRows(users, 1),
  }
  const rest = more > 0 ? [t('spend-found-more', { count: more })] : []
  const body = toTextBody([table, ...rest], user.languageCode)
  return { body, keyboard: { inline_keyboard: userButtons(users, first, 1) } }
}

/** Shows one page of who spent how much: their lines and the line of all others add up to the sum above them. */
async function listView(app: SpendApp, { span, page }: Target, reader: Reader) {
  const { t, user } = reader
  const shown = { skip: page * PAGE_SIZE, take: PAGE_SIZE }
  const overview = await app.reports.overview({ span }, shown)
  const { sum, users, rest } = overview
  const first = page * PAGE_SIZE + 1
  const rows = toRows(users, first)
  if (rest.users > 0) {
    rows.push({ ...rest.spend, rank: '', label: t('spend-rest', { count: rest.users }) })
  }
  const tables = [{ heading: t('spend-users'), rows }, kindTable(overview, reader)]
  const paragraphs = [
    headOf(span, overview, reader),
    ...remarksOf(sum, reader),
    ...(rows.length > 0 ? withoutSingles(tables, reader) : [t('spend-none')]),
  ]
  const hasMore = users.length > 0 && rest.users > page * PAGE_SIZE
  const keyboard = {
    inline_keyboard: [
      ...userButtons(users, { span, page }, first),
      ...pageTurns({ page, hasMore, t }, (next) => `spend:${span}:${next}`),
      ...spanButtons(span, reader, (next) => `spend:${next}:0`),
      [
        { text: t('spend-picture-button'), callback_data: PICTURE_DATA },
        { text: t('spend-file-button'), callback_data: `spend-csv:${span}` },
      ],
    ],
  }
  return { body: toTextBody(paragraphs, user.languageCode), keyboard }
}

/** Shows one user's spend of a span, their limits and last orders; undefined if the bot knows no such user. */
async function userView(
  app: SpendApp,
  { span, page, userId = 0 }: Target,
  reader: Reader,
): Promise<View | undefined> {
  const { reports, limits } = app
  const user = await reports.user(userId)
  if (user === undefined) return undefined
  const overview = await reports.overview({ span, userId })
  const orders = await reports.lastOrders(userId, ORDERS_SHOWN)
  const paragraphs = [
    `${nameUser(user)}, id ${user.id}\n${headOf(span, overview, reader)}`,
    ...remarksOf(overview.sum, reader),
    ...describeParts(overview, app, reader),
    ...describeLimits(await limits.ofSubject(userId), app, reader),
    ...(orders.length > 0 ? [describeOrders(orders, app, reader)] : []),
  ]
  const keyboard = {
    inline_keyboard: [
      ...spanButtons(span, reader, (next) => `spend-user:${next}:${page}:${userId}`),
      [{ text: reader.t('page-previous'), callback_data: `spend:${span}:${page}` }],
    ],
  }
  return { body: toTextBody(paragraphs, reader.user.languageCode), keyboard }
}

function toRows(users: readonly UserSpend[], first: number): AmountRow[] {
  return users.map(({ user, spend }, index) => {
    return { ...spend, rank: `${first + index}`, label: shortNameOf(user) }
  })
}

function userButtons(users: readonly UserSpend[], { span, page }: Target, first: number) {
  const buttons = users.map(({ user }, index) => ({
    text: users.length === 1 && first === 1 ? shortNameOf(user) : `${first + index}`,
    callback_data: `spend-user:${span}:${page}:${user.id}`,
  }))
  const rows: InlineKeyboardButton[][] = []
  while (buttons.length > 0) rows.push(buttons.splice(0, BUTTONS_IN_ROW))
  return rows
}

function describeOrders(
  orders: readonly PastOrder[],
  { timeZone, texts }: SpendApp,
  { t, user: { languageCode } }: Reader,
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

/** Prefers the username, which is unique. */
function shortNameOf({ id, firstName, username }: UserName): string {
  if (username !== null) return `@${username}`
  // A user who had everything erased has only an id, and some names show nothing.
  return leaveOutHidden(firstName).text.trim() || `id ${id}`
}

/** Writes the span and its sum, such as "Last 7 days, 15 Nov 2026 – 21 Nov 2026". */
function headOf(
  span: ReportSpan,
  { from, to, sum }: DateRange & { sum: Spend },
  { t, user: { languageCode } }: Reader,
): string {
  const dates = from === undefined ? [] : [...new Set([from, to])]
  const written = dates.map((day) => formatDate(day, languageCode)).join(' – ')
  const name = t('spend-span', { span: SPAN_NAMES[span] })
  const amount = formatMoney(sum.amountMicroRub, languageCode)
  const total = t('spend-sum', { amount, charges: sum.charges })
  return `${[name, written].filter((part) => part !== '').join(', ')}\n${total}`
}

/** Two rows: days, then longer spans; the shown span is marked. */
function spanButtons(
  shown: ReportSpan,
  { t }: Reader,
  dataOf: (span: ReportSpan) => string,
): InlineKeyboardButton[][] {
  const buttons = SPANS.map((span) => {
    const name = t('spend-span-button', { span: SPAN_NAMES[span] })
    return { text: span === shown ? `• ${name}` : name, callback_data: dataOf(span) }
  })
  return [buttons.slice(0, 3), buttons.slice(3)]
}

/** Sends every charge of a span as a file for spreadsheets, which is read from the database while it is sent. */
async function sendCharges(
  { prisma, reports }: SpendApp,
  span: ReportSpan,
  { user, t, answer, answerFile }: Pick<Command, 'user' | 't' | 'answer' | 'answerFile'>,
): Promise<void> {
  const { rest, from, to, sum } = await reports.overview({ span }, { skip: 0, take: 0 })
  if (rest.users === 0) return answer(t('spend-none'))
  if (sum.charges > CHARGES_MAX) return answer(t('spend-csv-too-large'))
  const dates = [...new Set([from ?? to, to])].join('-')
  const asked = { range: { from, to }, filter: {}, languageCode: user.languageCode }
  await answerFile({
    fileName: `spend-${dates}.csv`,
    bytes: () => writeChargesCsv(prisma, asked),
  })
}
