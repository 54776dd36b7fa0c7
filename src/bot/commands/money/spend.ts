/** `/spend`: who spent how much on what, a user's page, and every charge as a file. */
import { shortenLine } from '../../locales/shorten.ts'
import type { Texts } from '../../locales/texts.ts'
import type { SpendPictures } from '../../spend/charts/spend-pictures.ts'
import type { LimitTexts } from '../../spend/limits/limit-texts.ts'
import type { Limits } from '../../spend/limits/limits.ts'
import { writeChargesCsv } from '../../spend/reports/charges-csv.ts'
import type { ChargePosition } from '../../spend/reports/read-charges.ts'
import { type DateRange, type ReportSpan, SPANS } from '../../spend/reports/span.ts'
import type { SpendReports } from '../../spend/reports/spend-reports.ts'
import type { Command, CommandDefinition } from '../command.ts'
import { limitLines } from './amount-table.ts'
import {
  FILE_DATA,
  foundView,
  LIST_DATA,
  type ListTarget,
  PAGE_SIZE,
  PICTURE_DATA,
  type SpendReader,
  spendersView,
  toTarget,
  USER_DATA,
  type UserFacts,
  type UserTarget,
  unpricedOf,
  userView,
} from './spend-views.ts'

interface ChargesRequest extends Pick<Command, 'user' | 't' | 'answer' | 'answerFile'> {
  reports: Pick<SpendReports, 'dates' | 'spenders' | 'charges'>
}

/** Telegram takes no larger file from a bot. */
const FILE_BYTES_MAX = 50_000_000
const FIRST_SPAN: ReportSpan = 'month'
const ORDERS_SHOWN = 5
const SEARCH_CHARS_MAX = 40

interface SpendApp {
  reports: SpendReports
  spendPictures: Pick<SpendPictures, 'ofAll'>
  limits: Pick<Limits, 'ofSubject'>
  limitTexts: LimitTexts
  texts: Texts
  timeZone: string
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
      if (span === undefined) return answer(t('spend-csv-usage'))
      return sendCharges(span, { reports: app.reports, ...command })
    }
    const span = argument === '' ? FIRST_SPAN : toSpan(argument)
    if (span === undefined) return search(app, command)
    const { body, keyboard } = await listView(app, { span, page: 0 }, command)
    await answer(body.text, { entities: body.entities, keyboard })
  },
  presses: [
    {
      data: LIST_DATA,
      async press(app, press) {
        await press.notify()
        const { body, keyboard } = await listView(app, toTarget(press.match.slice(1)), press)
        await press.edit(body, { keyboard })
      },
    },
    {
      data: USER_DATA,
      async press(app, press) {
        await press.notify()
        const view = await viewOf(app, toTarget(press.match.slice(1)), press)
        if (view !== undefined) await press.edit(view.body, { keyboard: view.keyboard })
      },
    },
    {
      data: FILE_DATA,
      async press({ reports }, press) {
        await press.notify(press.t('spend-file-comes'))
        await sendCharges(press.match[1] as ReportSpan, { reports, ...press })
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

async function search(app: SpendApp, command: Command): Promise<void> {
  const { argument, answer, t } = command
  const found = await app.reports.users({
    span: FIRST_SPAN,
    search: argument,
    skip: 0,
    take: PAGE_SIZE,
  })
  const shown = shortenLine(argument, SEARCH_CHARS_MAX)
  const [only] = found.users
  if (only === undefined) return answer(t('spend-nobody', { search: shown }))
  const target = { span: FIRST_SPAN, page: 0, userId: Number(only.user.id) }
  const view =
    found.total === 1
      ? await viewOf(app, target, command)
      : foundView(found, { search: shown, span: FIRST_SPAN }, command)
  if (view === undefined) return answer(t('spend-nobody', { search: shown }))
  await answer(view.body.text, { entities: view.body.entities, keyboard: view.keyboard })
}

async function listView({ reports, texts }: SpendApp, target: ListTarget, reader: SpendReader) {
  const page = { skip: target.page * PAGE_SIZE, take: PAGE_SIZE }
  const { span } = target
  const spenders = await reports.spenders({ span }, page)
  const unpriced = unpricedOf(await reports.unpriced({ span }), texts, reader)
  return spendersView(spenders, unpriced, target, reader)
}

async function viewOf(app: SpendApp, target: UserTarget, reader: SpendReader) {
  const { reports, limits, limitTexts, texts, timeZone } = app
  const { user: asking, t } = reader
  const { span, userId } = target
  const user = await reports.user(userId)
  if (user === undefined) return undefined
  const held = await limits.ofSubject(userId)
  const facts: UserFacts = {
    user,
    overview: await reports.overview({ span, userId }),
    limits: limitLines(held, { limitTexts, timeZone, user: asking, t }),
    orders: await reports.lastOrders(userId, ORDERS_SHOWN),
    unpriced: unpricedOf(await reports.unpriced({ span, userId }), texts, reader),
    texts,
    timeZone,
  }
  return userView(facts, target, reader)
}

function toSpan(text: string): ReportSpan | undefined {
  return SPANS.find((span) => span === text.toLowerCase())
}

/**
 * Sends every charge of a span as a file for spreadsheets, which is read from the database while it is sent.
 * Charges beyond the bound of one file follow in a next one: a spreadsheet could not hold them on one sheet either.
 */
async function sendCharges(
  span: ReportSpan,
  { reports, user, t, answer, answerFile }: ChargesRequest,
): Promise<void> {
  const { rest } = await reports.spenders({ span }, { skip: 0, take: 0 })
  if (rest.users === 0) return answer(t('spend-none'))
  const range = await reports.dates(span)
  let after: ChargePosition | undefined
  let files = 0
  do {
    files += 1
    /** The file that is being sent, and where the next one begins; it is opened again for each attempt. */
    const file: { after: typeof after; next: typeof after } = { after, next: undefined }
    await answerFile({
      fileName: fileNameOf(range, files),
      bytes: async function* () {
        const batches = reports.charges({ range, after: file.after })
        const options = { languageCode: user.languageCode, bytesMax: FILE_BYTES_MAX }
        file.next = yield* writeChargesCsv(batches, options)
      },
    })
    after = file.next
  } while (after !== undefined)
  if (files > 1) await answer(t('spend-files', { count: files }))
}

function fileNameOf({ from, to }: DateRange, number: number): string {
  const dates = from === undefined || from === to ? [to] : [from, to]
  const parts = ['spend', ...dates, ...(number > 1 ? [number] : [])]
  return `${parts.join('-')}.csv`
}
