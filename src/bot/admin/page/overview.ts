/** The overview: spending by day, kind, model and user, with filters. */
import { ChargeKind } from '../../../platform/database/generated/enums.ts'
import { itemText } from '../../media/option-texts.ts'
import { drawBarChart } from '../../spend/bar-chart.ts'
import { formatSum } from '../../spend/format.ts'
import type { DaySpend, Overview, Spend, SpendFilter } from '../../spend/reports.ts'
import { formatDate } from '../../texts/dates.ts'
import type { Language } from '../../texts/texts.ts'
import { hidden } from './forms.ts'
import { Html, html } from './html.ts'
import {
  amounts,
  bar,
  card,
  empty,
  frame,
  icon,
  SPAN_NAMES,
  sectionName,
  shareOf,
  spanChoice,
  spanOf,
} from './layout.ts'
import { liveFigures } from './live.ts'
import { userRow } from './users.ts'
import type { View, Visit } from './visit.ts'

const ITEM_CHARS_MAX = 200
/** With more days each bar is a week: bars of days would be thinner than their gaps. */
const DAY_BARS_MAX = 92

export const overview: View = {
  async show(visit) {
    const filter = filterOf(visit)
    const [figures, spent] = await Promise.all([
      liveFigures(visit),
      visit.page.reports.overview({ span: spanOf(visit), ...filter }),
    ])
    return frame(visit, {
      title: sectionName(visit, 'overview'),
      action: downloadForm(visit, filter),
      content: html`${figures}${choices(visit, filter)}
        <div class="cards">
          ${spendCards(visit, spent)}
          ${spent.sum.charges > 0 && topUsers(visit, spent)}
        </div>`,
    })
  },
}

export function choices(visit: Visit, { kind, item }: SpendFilter): Html {
  const clear = (filter: 'kind' | 'model', name: string) => {
    const label = visit.t('page-clear-filter', { name })
    return html`<a role="button" class="quiet" href="${visit.href({ [filter]: '' })}"
      aria-label="${label}">${name}${icon('close')}</a>`
  }
  return html`<div class="row">${spanChoice(visit)}
    ${kind && clear('kind', kindName(visit, kind))}
    ${item && clear('model', itemName(visit, item))}</div>`
}

/** Spend as a sum, by day, by kind and by model. A click on a kind or a model narrows the view to it. */
export function spendCards(visit: Visit, spent: Overview): Html {
  if (spent.sum.charges === 0) {
    const nothing = empty(visit.t('page-nothing'), visit.t('page-nothing-yet'))
    return html`${sumCard(visit, spent.sum)}<section class="card wide">${nothing}</section>`
  }
  const kinds = spent.byKind.map(({ kind, spend }) => {
    return { name: kindName(visit, kind), href: visit.href({ kind }), spend }
  })
  const items = spent.byItem.map(({ item, spend }) => {
    return { name: itemName(visit, item), href: visit.href({ model: item }), spend }
  })
  return html`${sumCard(visit, spent.sum)}${daysCard(visit, spent)}
    ${partsCard(visit, visit.t('spend-kinds'), kinds)}
    ${partsCard(visit, visit.t('spend-items'), items)}`
}

function sumCard(visit: Visit, spend: Spend): Html {
  const { amountMicroRub: sum, charges } = spend
  const average = charges === 0 ? 0n : sum / BigInt(charges)
  return html`<section class="card wide sum">
    <div>
      <h2><small>${visit.t('page-spent', { span: SPAN_NAMES[spanOf(visit)] })}</small></h2>
      <p class="big">${visit.money(sum)}</p>
      <small>${visit.t('page-charges', { count: charges, average: visit.money(average) })}</small>
    </div>
    ${amounts([
      [visit.t('page-history'), visit.money(spend.historyMicroRub)],
      [visit.t('page-estimated'), visit.money(spend.estimatedMicroRub)],
      [visit.t('page-written-off'), visit.money(spend.writtenOffMicroRub)],
    ])}
  </section>`
}

function daysCard(visit: Visit, { byDay }: Pick<Overview, 'byDay'>): Html | false {
  if (byDay.length < 2) return false
  const date = (day: string) => formatDate(day, visit.language)
  const total = sumOf(byDay)
  const chart = drawBarChart({
    bars: toBars(visit, byDay),
    language: visit.language,
    description: visit.t('page-chart', {
      from: date(byDay[0]?.day ?? ''),
      to: date(byDay.at(-1)?.day ?? ''),
    }),
    emptyText: visit.t('page-nothing'),
  })
  const { lines } = formatSum(
    byDay.map(({ amountMicroRub }) => amountMicroRub),
    visit.language,
  )
  const rows = byDay.map(({ day }, index) => [date(day), lines[index]] as const).toReversed()
  return card(
    visit.t('page-by-day'),
    html`<div class="chart">${new Html(chart)}</div>
      <details id="days"><summary>${visit.t('page-as-list')}</summary>${amounts(rows)}</details>`,
    {
      wide: true,
      action: visit.t('page-day-average', { average: visit.money(total / BigInt(byDay.length)) }),
    },
  )
}

export function downloadForm(visit: Visit, { userId, kind, item }: SpendFilter): Html {
  const asked = { span: spanOf(visit), user: userId, kind, model: item }
  return html`<form method="post" action="downloads">
    ${Object.entries(asked).map(([name, value]) => value !== undefined && hidden(name, value))}
    <button type="submit" class="quiet" aria-label="${visit.t('page-csv')}">${icon('download')}<span class="wide-only">CSV</span></button>
  </form>`
}

/** The name of a charged item: the chat model's, or "Video 1080p, 5 s". */
export function itemName({ language, page: { texts } }: Visit, item: string): string {
  const name = itemText(item, { languageCode: language, texts })
  return name === item ? item : capitalize(name)
}

function capitalize(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}

function kindName(visit: Visit, kind: ChargeKind): string {
  return capitalize(visit.t('spend-kind', { kind }))
}

export function filterOf({ query }: Pick<Visit, 'query'>): SpendFilter {
  const item = query.get('model') ?? ''
  return {
    kind: Object.values(ChargeKind).find((kind) => kind === query.get('kind')),
    item: item === '' ? undefined : item.slice(0, ITEM_CHARS_MAX),
  }
}

/** The top users, all others together, and their sum; the shown amounts add up. */
function topUsers(visit: Visit, { users, rest, sum }: Overview): Html {
  const others = rest.users === 0 ? [] : [rest.spend.amountMicroRub]
  const spent = users.map(({ spend }) => spend.amountMicroRub)
  const { lines } = formatSum([...spent, ...others], visit.language)
  const total = [visit.t('page-sum'), visit.money(sum.amountMicroRub)] as const
  const restRow = [visit.t('spend-rest', { count: rest.users }), lines.at(-1)] as const
  const rows = users.map((one, index) => userRow(visit, one, lines[index] ?? ''))
  return card(
    visit.t('page-top-users'),
    html`<ol class="list">${rows}</ol>${amounts(rest.users === 0 ? [total] : [restRow, total])}`,
    { wide: true },
  )
}

/** The parts of a sum with their shares; the shown amounts add up. */
function partsCard(
  visit: Visit,
  title: string,
  parts: readonly { name: string; href: string; spend: Spend }[],
): Html {
  const amounts = parts.map(({ spend }) => spend.amountMicroRub)
  const sum = amounts.reduce((total, microRub) => total + microRub, 0n)
  const { lines } = formatSum(amounts, visit.language)
  const rows = parts.map(
    ({ name, href, spend }, index) => html`<li><a class="part" href="${href}">
      <span>${name}</span><small>${formatShare(spend.amountMicroRub, sum, visit.language)}</small>
      <span>${lines[index]}</span>${bar(shareOf(spend.amountMicroRub, sum))}</a></li>`,
  )
  return card(title, html`<ul>${rows}</ul>`)
}

/** Writes a share as `12%`; a share above zero never shows as zero. */
function formatShare(part: bigint, sum: bigint, language: Language): string {
  const percent = new Intl.NumberFormat(language, { style: 'percent' })
  const share = shareOf(part, sum)
  return share > 0 && share < 0.005 ? `< ${percent.format(0.01)}` : percent.format(share)
}

function toBars(visit: Visit, days: readonly DaySpend[]) {
  const step = days.length > DAY_BARS_MAX ? 7 : 1
  const { language } = visit
  const short = new Intl.DateTimeFormat(language === 'en' ? 'en-GB' : language, {
    day: 'numeric',
    month: 'short',
    timeZone: 'UTC',
  })
  return Array.from({ length: Math.ceil(days.length / step) }, (_, index) => {
    const within = days.slice(index * step, (index + 1) * step)
    const [first = '', last = ''] = [within[0]?.day, within.at(-1)?.day]
    const names = [...new Set([first, last])].map((day) => formatDate(day, language))
    const microRub = sumOf(within)
    return {
      label: short.format(new Date(`${first}T00:00:00Z`)),
      period: names.join(' – '),
      amount: visit.money(microRub),
      parts: [{ microRub, fill: 'currentColor' }],
    }
  })
}

function sumOf(days: readonly DaySpend[]): bigint {
  return days.reduce((sum, { amountMicroRub }) => sum + amountMicroRub, 0n)
}
