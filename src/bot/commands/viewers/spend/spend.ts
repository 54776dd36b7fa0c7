import { shortenLine } from '../../../locales/shorten.ts'
import type { Texts } from '../../../locales/texts.ts'
import type { SpendPictures } from '../../../spend/charts/spend-pictures.ts'
import type { LimitTexts } from '../../../spend/limits/limit-texts.ts'
import type { Limits } from '../../../spend/limits/limits.ts'
import { type ReportSpan, SPANS } from '../../../spend/reports/span.ts'
import type { SpendReports } from '../../../spend/reports/spend-reports.ts'
import type { Command, CommandDefinition, Press } from '../../command.ts'
import { limitLines } from '../../limit-lines.ts'
import { sendCharges } from './send-charges.ts'
import {
  FILE_DATA,
  LIST_DATA,
  type ListTarget,
  PICTURE_DATA,
  toTarget,
  USER_DATA,
  type UserTarget,
} from './spend-data.ts'
import { type SpendReader, unpricedOf } from './spend-words.ts'
import { foundView, PAGE_SIZE, spendersView } from './spenders-view.ts'
import { type UserFacts, userView } from './user-view.ts'

const FIRST_SPAN: ReportSpan = 'month'
const ORDERS_SHOWN = 5
const SEARCH_CHARS_MAX = 40

interface SpendDeps {
  reports: SpendReports
  spendPictures: Pick<SpendPictures, 'ofAll'>
  limits: Pick<Limits, 'ofSubject'>
  limitTexts: LimitTexts
  texts: Texts
  timeZone: string
}

/** Shows admins and viewers who spent how much on what, a user's page, and every charge as a file. */
export const spendCommand: CommandDefinition<SpendDeps> = {
  name: 'spend',
  audience: 'viewers',
  listed: 'in_private',
  usage: '[name|id|csv]',
  create: createSpendPages,
}

function createSpendPages(deps: SpendDeps) {
  const { reports, spendPictures, limits, limitTexts, texts, timeZone } = deps
  const presses = [
    { data: LIST_DATA, press: turnTo },
    { data: USER_DATA, press: openUser },
    { data: FILE_DATA, press: sendFile },
    { data: PICTURE_DATA, press: sendPicture },
  ] as const
  return { handle, presses }

  async function handle(command: Command): Promise<void> {
    const { argument, answer, t } = command
    const [first = '', ...rest] = argument.toLowerCase().split(/\s+/)
    if (first === 'csv' && rest.length <= 1) {
      const span = toSpan(rest[0] ?? FIRST_SPAN)
      if (span === undefined) return answer(t('spend-csv-usage'))
      return sendCharges(span, { reports, ...command })
    }
    const span = argument === '' ? FIRST_SPAN : toSpan(argument)
    if (span === undefined) return search(command)
    const { body, keyboard } = await listView({ span, page: 0 }, command)
    await answer(body.text, { entities: body.entities, keyboard })
  }

  async function search(command: Command): Promise<void> {
    const { argument, answer, t } = command
    const found = await reports.users({
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
        ? await viewOf(target, command)
        : foundView(found, { search: shown, span: FIRST_SPAN }, command)
    if (view === undefined) return answer(t('spend-nobody', { search: shown }))
    await answer(view.body.text, { entities: view.body.entities, keyboard: view.keyboard })
  }

  async function turnTo(press: Press): Promise<void> {
    const [, ...target] = LIST_DATA.exec(press.data) ?? []
    await press.notify()
    const { body, keyboard } = await listView(toTarget(target), press)
    await press.edit(body, { keyboard })
  }

  async function openUser(press: Press): Promise<void> {
    const [, ...target] = USER_DATA.exec(press.data) ?? []
    await press.notify()
    await show(toTarget(target), press)
  }

  async function sendFile(press: Press): Promise<void> {
    const [, span] = FILE_DATA.exec(press.data) ?? []
    await press.notify(press.t('spend-file-comes'))
    await sendCharges(span as ReportSpan, { reports, ...press })
  }

  async function sendPicture({ user, t, notify, answer }: Press): Promise<void> {
    await notify()
    const picture = await spendPictures.ofAll(user.languageCode)
    await answer(t(picture === undefined ? 'spend-picture-failed' : 'chart-all'), { picture })
  }

  async function show(target: UserTarget, press: Press): Promise<void> {
    const view = await viewOf(target, press)
    if (view !== undefined) await press.edit(view.body, { keyboard: view.keyboard })
  }

  async function listView(target: ListTarget, reader: SpendReader) {
    const page = { skip: target.page * PAGE_SIZE, take: PAGE_SIZE }
    const { span } = target
    const spenders = await reports.spenders({ span }, page)
    const unpriced = unpricedOf(await reports.unpriced({ span }), texts, reader)
    return spendersView(spenders, unpriced, target, reader)
  }

  async function viewOf(target: UserTarget, reader: SpendReader) {
    const { span, userId } = target
    const user = await reports.user(userId)
    if (user === undefined) return undefined
    const facts: UserFacts = {
      user,
      overview: await reports.overview({ span, userId }),
      limits: await limitsOf(userId, reader),
      orders: await reports.lastOrders(userId, ORDERS_SHOWN),
      unpriced: unpricedOf(await reports.unpriced({ span, userId }), texts, reader),
      texts,
      timeZone,
    }
    return userView(facts, target, reader)
  }

  async function limitsOf(userId: number, reader: SpendReader): Promise<string[]> {
    const { user, t } = reader
    return limitLines(await limits.ofSubject(userId), { limitTexts, timeZone, user, t })
  }
}

function toSpan(text: string): ReportSpan | undefined {
  return SPANS.find((span) => span === text.toLowerCase())
}
