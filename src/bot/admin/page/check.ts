/** The view of the check: the remaining balance, compared with our charges and sums. */
import { writeCommand } from '../../../platform/installation.ts'
import type { BalanceCheck, Outlook } from '../../spend/balance.ts'
import { formatExactMoney } from '../../spend/format.ts'
import { checkSums, type SumsCheck } from '../../spend/sums.ts'
import { YEAR_DAYS } from '../../texts/dates.ts'
import { type Html, html } from './html.ts'
import { amounts, card, empty, frame, sectionName } from './layout.ts'
import { leftText, outlookSubject } from './live.ts'
import type { View, Visit } from './visit.ts'

export const check: View = {
  async show(visit) {
    const { balance, prisma } = visit.page
    const [outlook, balanceCheck, sums] = await Promise.all([
      balance.outlook(),
      balance.check(),
      checkSums(prisma),
    ])
    return frame(visit, {
      title: sectionName(visit, 'check'),
      action: html`<button type="button" class="quiet" data-reload>${visit.t('page-check-again')}</button>`,
      content: html`<div class="cards">
        ${outlookCard(visit, outlook)}${balanceCard(visit, balanceCheck)}${sumsCard(visit, sums)}
      </div>`,
    })
  },
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

function sumsCard(visit: Visit, { differenceCount }: SumsCheck): Html {
  const title = visit.t('page-check-sums')
  if (differenceCount === 0) {
    return card(title, html`<p class="good">${visit.t('page-sums-right')}</p>`)
  }
  return card(
    title,
    html`<p class="bad">${visit.t('page-sums-wrong', { count: differenceCount })}</p>
      <p><small>${visit.t('page-rebuild')}</small>
        <code>${writeCommand('spend', 'check')}</code> <code>${writeCommand('spend', 'rebuild')}</code></p>`,
  )
}

function exact(visit: Visit, microRub: bigint): string {
  return formatExactMoney(microRub, visit.language)
}
