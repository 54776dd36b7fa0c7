/** The view of the check: the remaining balance, compared with our charges and sums. */
import { writeCommand } from '../../../platform/installation.ts'
import type { BalanceCheck, Outlook } from '../../spend/balance.ts'
import { checkSums, type SumsCheck } from '../../spend/check.ts'
import { formatExactMoney } from '../../spend/format.ts'
import { YEAR_DAYS } from '../../texts/dates.ts'
import { type Html, html } from './html.ts'
import { amounts, card, empty, frame, sectionName, table } from './layout.ts'
import { leftText, outlookSubject } from './live.ts'
import type { AdminPage, View, Visit } from './visit.ts'

/** More would be no page to read; `npm run spend -- check` prints them. */
const DIFFERENCES_MAX = 100

type Checks = [BalanceCheck | undefined, SumsCheck]

/** A check reads every charge: requests during a check get the same answer. */
const underWay = new WeakMap<AdminPage, Promise<Checks>>()

export const check: View = {
  async show(visit) {
    const [outlook, [balance, sums]] = await Promise.all([
      visit.page.balance.outlook(),
      readChecks(visit.page),
    ])
    return frame(visit, {
      title: sectionName(visit, 'check'),
      action: html`<button type="button" class="quiet" data-reload>${visit.t('page-check-again')}</button>`,
      content: html`<div class="cards">
        ${outlookCard(visit, outlook)}${balanceCard(visit, balance)}${sumsCard(visit, sums)}
      </div>`,
    })
  },
}

function readChecks(page: AdminPage): Promise<Checks> {
  const running = underWay.get(page)
  if (running !== undefined) return running
  const checks = Promise.all([page.balance.check(), checkSums(page.prisma)])
  underWay.set(page, checks)
  const forget = () => underWay.delete(page)
  checks.then(forget, forget)
  return checks
}

function outlookCard(visit: Visit, outlook: Outlook | undefined): Html {
  const unknown = visit.t('page-unknown')
  const rows = [
    [visit.t('page-left', { of: outlookSubject(outlook) }), leftText(visit, outlook)],
    [visit.t('page-pace'), outlook ? visit.money(outlook.dayPaceMicroRub) : unknown],
    [visit.t('page-lasts'), daysText(visit, outlook)],
  ] as const
  return html`<section class="card wide">${amounts(rows, 'figures')}</section>`
}

function daysText(visit: Visit, outlook: Outlook | undefined): string {
  if (outlook?.balanceMicroRub === undefined) return leftText(visit, outlook)
  const { daysLeft } = outlook
  if (daysLeft === undefined) return visit.t('page-lasts-for-ever')
  if (daysLeft > YEAR_DAYS) return visit.t('page-lasts-a-year')
  return visit.t('page-days', { days: Math.floor(daysLeft) })
}

/** How far the balance moved, what users were charged, and the difference, to the last millionth. */
function balanceCard(visit: Visit, check: BalanceCheck | undefined): Html {
  const title = visit.t('page-check-balance')
  if (check === undefined) {
    return card(title, empty(visit.t('page-check-nothing'), visit.t('page-check-nothing-hint')))
  }
  const { from, to, movedMicroRub, chargedMicroRub, differenceMicroRub } = check
  const isExact = differenceMicroRub === 0n
  const rows = amounts([
    [visit.t('page-moved'), exact(visit, movedMicroRub)],
    [visit.t('page-charged'), exact(visit, chargedMicroRub)],
    [visit.t('page-difference'), exact(visit, differenceMicroRub)],
  ])
  const verdict = html`<p class="${isExact && 'good'}">${visit.t(isExact ? 'page-exact' : 'page-differs')}</p>
    ${!isExact && html`<p><small>${visit.t('page-unsettled')}</small></p>`}`
  const hint = `${visit.instant(from)} – ${visit.instant(to)}`
  return card(title, [rows, verdict], { hint })
}

/** Compares the stored sums with the charges, and lists the differences. */
function sumsCard(visit: Visit, { differenceCount, differences }: SumsCheck): Html {
  const title = visit.t('page-check-sums')
  if (differenceCount === 0) {
    return card(title, html`<p class="good">${visit.t('page-sums-right')}</p>`)
  }
  const columns = ['page-sum-name', 'page-stored', 'page-of-charges'].map((key) => visit.t(key))
  const rows = differences.slice(0, DIFFERENCES_MAX).map((one) => {
    const name = [one.userId, one.key, one.column].join(' ')
    return [name, exact(visit, one.kept), exact(visit, one.wanted)] as const
  })
  return card(
    title,
    html`<p class="bad">${visit.t('page-sums-wrong')}</p>
      ${table(title, columns, rows)}
      <p><small>${visit.t('page-rebuild')}</small> <code>${writeCommand('spend', 'rebuild')}</code></p>`,
  )
}

function exact(visit: Visit, microRub: bigint): string {
  return formatExactMoney(microRub, visit.language)
}
