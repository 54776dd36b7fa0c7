/** `/spend`: the spending of all users by item, a user's sums, and every charge as a file. */
import type { InlineKeyboardButton } from 'grammy/types'
import type { PrismaClient } from '../../platform/database/generated/client.ts'
import { nameUser } from '../people/users.ts'
import { leaveOutHidden } from '../rich-text/characters.ts'
import { CHARGES_MAX, writeChargesCsv } from '../spend/charges-csv.ts'
import { formatMoney } from '../spend/format.ts'
import type { LimitTexts } from '../spend/limit-texts.ts'
import type { Limits } from '../spend/limits.ts'
import {
  type DateRange,
  type ReportSpan,
  type Reports,
  SPANS,
  type Spend,
} from '../spend/reports.ts'
import type { SpendPictures } from '../spend/spend-pictures.ts'
import type { UserName } from '../spend/users.ts'
import { formatDate } from '../texts/dates.ts'
import { shortenLine } from '../texts/shorten.ts'
import type { Texts } from '../texts/texts.ts'
import type { Command, CommandDefinition, Press } from './command.ts'
import {
  type AmountRow,
  describeKinds,
  describeLimits,
  describeParts,
  type Reader,
  remarksOf,
  toTextBody,
} from './spend-text.ts'

const FIRST_SPAN: ReportSpan = 'month'
const SEARCH_CHARS_MAX = 40
const FOUND_MAX = 20

const SPAN = '(today|7d|30d|month|all)'
const LIST_DATA = new RegExp(`^spend:${SPAN}$`)
const USER_DATA = new RegExp(`^spend-user:${SPAN}:(-?\\d{1,15})$`)
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
        : await listView(app, span, command)
    if (typeof view === 'string') return answer(view)
    const { text, entities } = view.body
    await answer(text, { entities, keyboard: view.keyboard })
  },
  presses: [
    {
      data: LIST_DATA,
      press: (app, press) => show(press, listView(app, press.match[1] as ReportSpan, press)),
    },
    {
      data: USER_DATA,
      async press(app, press) {
        const [, span, userId] = press.match
        const user = await app.reports.user(Number(userId))
        if (user === undefined) return press.notify(press.t('button-stale'))
        await show(press, userView(app, { span: span as ReportSpan, user }, press))
      },
    },
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

async function show(press: Press, shown: Promise<View>): Promise<void> {
  await press.notify()
  const { body, keyboard } = await shown
  await press.edit(body, { keyboard })
}

function toSpan(text: string): ReportSpan | undefined {
  return SPANS.find((span) => span === text.toLowerCase())
}

async function searchView(app: SpendApp, typed: string, reader: Reader): Promise<View | string> {
  const { t } = reader
  const asked = { span: FIRST_SPAN, search: typed, skip: 0, take: FOUND_MAX }
  const { users, total } = await app.reports.users(asked)
  const [only] = users
  const search = shortenLine(typed, SEARCH_CHARS_MAX)
  if (only === undefined) return t('spend-nobody', { search })
  if (total === 1) return userView(app, { span: FIRST_SPAN, user: only.user }, reader)
  const names = users.map(({ user }) => `${shortNameOf(user)}, id ${user.id}`)
  return [t('spend-found', { search, count: total }), ...names].join('\n')
}

/** Shows spending by user: the lines of users and the line of all others add up to the sum. */
async function listView(app: SpendApp, span: ReportSpan, reader: Reader) {
  const { t, user } = reader
  const overview = await app.reports.overview({ span })
  const { sum, users, rest } = overview
  const rows: AmountRow[] = users.map(({ user, spend }) => {
    return { ...spend, label: shortNameOf(user) }
  })
  if (rest.users > 0) rows.push({ ...rest.spend, label: t('spend-rest', { count: rest.users }) })
  const paragraphs = [
    headOf(span, overview, reader),
    ...remarksOf(sum, reader),
    ...(rows.length > 0 ? [{ heading: t('spend-users'), rows }] : [t('spend-none')]),
    ...describeKinds(overview, reader),
  ]
  const keyboard = {
    inline_keyboard: [
      ...spanButtons(span, reader, (next) => `spend:${next}`),
      [
        { text: t('spend-picture-button'), callback_data: PICTURE_DATA },
        { text: t('spend-file-button'), callback_data: `spend-csv:${span}` },
      ],
    ],
  }
  return { body: toTextBody(paragraphs, user.languageCode), keyboard }
}

async function userView(
  app: SpendApp,
  { span, user }: { span: ReportSpan; user: UserName },
  reader: Reader,
): Promise<View> {
  const userId = user.id
  const overview = await app.reports.overview({ span, userId })
  const paragraphs = [
    `${nameUser(user)}, id ${userId}\n${headOf(span, overview, reader)}`,
    ...remarksOf(overview.sum, reader),
    ...describeParts(overview, app, reader),
    ...describeLimits(await app.limits.ofSubject(userId), app, reader),
  ]
  const buttons = spanButtons(span, reader, (next) => `spend-user:${next}:${userId}`)
  const body = toTextBody(paragraphs, reader.user.languageCode)
  return { body, keyboard: { inline_keyboard: buttons } }
}

/** Prefers the username, which is unique. */
function shortNameOf({ id, firstName, username }: UserName): string {
  if (username !== null) return `@${username}`
  // A user who erased everything has only an id, and some names are invisible.
  return leaveOutHidden(firstName).text.trim() || `id ${id}`
}

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

async function sendCharges(
  { prisma, reports }: SpendApp,
  span: ReportSpan,
  { user, t, answer, answerFile }: Pick<Command, 'user' | 't' | 'answer' | 'answerFile'>,
): Promise<void> {
  const { rest, from, to, sum } = await reports.overview({ span }, 0)
  if (rest.users === 0) return answer(t('spend-none'))
  if (sum.charges > CHARGES_MAX) return answer(t('spend-csv-too-large'))
  const dates = [...new Set([from ?? to, to])].join('-')
  const asked = { range: { from, to }, filter: {}, languageCode: user.languageCode }
  await answerFile({
    fileName: `spend-${dates}.csv`,
    bytes: () => writeChargesCsv(prisma, asked),
  })
}
