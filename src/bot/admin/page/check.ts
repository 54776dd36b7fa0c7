/** The view of the check: the remaining balance, compared with our charges and sums. */
import { writeCommand } from '../../../platform/installation.ts'
import type { BalanceCheck, Outlook } from '../../spend/balance.ts'
import { checkSums, type SumsCheck } from '../../spend/check.ts'
import { formatExactMoney } from '../../spend/format.ts'
import { YEAR_DAYS } from '../../texts/dates.ts'
import { type Html, html } from './html.ts'
import { amounts, card, empty, frame, sectionName } from './layout.ts'
import { leftText, outlookSubject } from './live.ts'
import { type AdminPage, hrefOf, type View, type Visit } from './visit.ts'

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
      action: html`<a role="button" class="quiet" href="${hrefOf('check')}">${visit.t('page-check-again')}</a>`,
      content: html`<div class="grid">
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
  return html`<section class="card wide"><dl class="figures">${rows.map(
    ([label, text]) => html`<div><dt class="hint">${label}</dt><dd class="num">${text}</dd></div>`,
  )}</dl></section>`
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
    return card(title, {
      content: empty(visit.t('page-check-nothing'), visit.t('page-check-nothing-hint')),
    })
  }
  const { from, to, movedMicroRub, chargedMicroRub, differenceMicroRub, mayEvenOut } = check
  const isExact = differenceMicroRub === 0n
  return card(title, {
    hint: `${visit.instant(from)} – ${visit.instant(to)}`,
    content: html`
      ${amounts([
        [visit.t('page-moved'), exact(visit, movedMicroRub)],
        [visit.t('page-charged'), exact(visit, chargedMicroRub)],
        [visit.t('page-difference'), exact(visit, differenceMicroRub)],
      ])}
      <p class="${isExact && 'good'}">${visit.t(isExact ? 'page-exact' : 'page-differs')}</p>
      ${mayEvenOut && html`<p class="hint">${visit.t('page-unsettled')}</p>`}`,
  })
}

/** Compares the stored sums with the charges, and lists the differences. */
function sumsCard(visit: Visit, { differenceCount, differences }: SumsCheck): Html {
  const title = visit.t('page-check-sums')
  if (differenceCount === 0) {
    return card(title, { content: html`<p class="good">${visit.t('page-sums-right')}</p>` })
  }
  const rows = differences
    .slice(0, DIFFERENCES_MAX)
    .map(({ userId, key, column, wanted, kept }) => {
      const what = [userId, key, column].join(' ')
      return html`<tr><th scope="row">${what}</th><td class="num">${exact(visit, kept)}</td>
        <td class="num">${exact(visit, wanted)}</td></tr>`
    })
  return card(title, {
    content: html`<p class="bad">${visit.t('page-sums-wrong')}</p>
      <div class="scroll" tabindex="0" role="region" aria-label="${title}"><table>
        <thead><tr><th scope="col">${visit.t('page-sum-name')}</th>
          <th scope="col" class="num">${visit.t('page-stored')}</th>
          <th scope="col" class="num">${visit.t('page-of-charges')}</th></tr></thead>
        <tbody>${rows}</tbody></table></div>
      <p class="hint">${visit.t('page-rebuild')} <code>${writeCommand('spend', 'rebuild')}</code></p>`,
  })
}

function exact(visit: Visit, microRub: bigint): string {
  return formatExactMoney(microRub, visit.language)
}
