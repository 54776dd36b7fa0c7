/** The frame of every view, and the parts that several views share. */
import { type ReportSpan, SPANS } from '../../spend/reports.ts'
import { type Html, html, type Part } from './html.ts'
import { hrefOf, type View, type Visit } from './visit.ts'

/** Names of spans in the texts. Their variants must begin with a letter. */
export const SPAN_NAMES: Readonly<Record<ReportSpan, string>> = {
  today: 'today',
  '7d': 'week',
  '30d': 'days',
  month: 'month',
  all: 'all',
}

const ICONS = {
  overview: 'M4 19V5M4 19h16M8 15v-4M12.5 15V8M17 15v-6',
  users:
    'M15.5 19v-1.5a3.5 3.5 0 0 0-3.5-3.5H7a3.5 3.5 0 0 0-3.5 3.5V19M9.5 10.5a3 3 0 1 0 0-6 3 3 0 0 0 0 6M20.5 19v-1.5a3.5 3.5 0 0 0-2.6-3.4M15.5 4.6a3 3 0 0 1 0 5.8',
  check: 'M12 3.5l7 2.6v5.2c0 4.3-2.9 7.7-7 9.2-4.1-1.5-7-4.9-7-9.2V6.1zM9 11.8l2.2 2.2L15.2 10',
  limits: 'M4 17a8 8 0 1 1 16 0M12 17l3.6-5M12 17.6a.6.6 0 1 0 0-1.2.6.6 0 0 0 0 1.2',
  access:
    'M7 11V8a5 5 0 0 1 10 0v3M6 11h12a1 1 0 0 1 1 1v7a1 1 0 0 1-1 1H6a1 1 0 0 1-1-1v-7a1 1 0 0 1 1-1M12 15v2',
  settings: 'M6.5 16.5V11a5.5 5.5 0 0 1 11 0v5.5l1.5 1.5H5zM10 20.5h4',
  changes: 'M12 7.5V12l3 2M4 12a8 8 0 1 0 2.6-5.9L4 8.5M4 4.5v4h4',
  more: 'M5 11v2M12 11v2M19 11v2M4 12h2M11 12h2M18 12h2',
  back: 'M14.5 5.5L8 12l6.5 6.5',
  forward: 'M9.5 5.5L16 12l-6.5 6.5',
  close: 'M7 7l10 10M17 7L7 17',
  download: 'M12 4v11M7.5 10.5L12 15l4.5-4.5M5 19.5h14',
} as const

const TABS = ['overview', 'users', 'check'] as const

/** Sections under "More": a phone's row of tabs has no room for them. */
const BEHIND_MORE = ['limits', 'access', 'settings', 'changes'] as const

const SECTIONS = [...TABS, ...BEHIND_MORE, 'more'] as const
type Section = (typeof SECTIONS)[number]

export function sectionName(visit: Visit, section: Section): string {
  return visit.t('page-section', { section })
}

export function icon(name: keyof typeof ICONS): Html {
  return html`<svg class="icon" viewBox="0 0 24 24" aria-hidden="true"><path d="${ICONS[name]}"/></svg>`
}

interface FrameParts {
  title: string
  subtitle?: string
  back?: Section
  action?: Html
  content: Part
}

/** A view's title, subtitle, action and content, in the frame with links to all sections. */
export function frame(visit: Visit, { title, subtitle, back, action, content }: FrameParts): Html {
  const [section = ''] = visit.path.split('/')
  const items = SECTIONS.map((name) => {
    const isBehindMore = BEHIND_MORE.some((hidden) => hidden === name)
    return html`<li ${isBehindMore && html`class="wide-only"`}>
      <a href="${hrefOf(name)}" ${name === section && html`aria-current="page"`}>
        ${icon(name)}<span>${sectionName(visit, name)}</span></a></li>`
  })
  return html`<main lang="${visit.language}">
      <header class="row">
        ${back && html`<a role="button" class="quiet" href="${hrefOf(back)}" aria-label="${visit.t('page-back')}">${icon('back')}</a>`}
        <hgroup class="grow"><h1 tabindex="-1">${title}</h1>${subtitle && html`<p>${subtitle}</p>`}</hgroup>
        ${action}
      </header>
      ${content}
    </main>
    <nav class="sections" aria-label="${visit.t('page-menu')}"><ul>${items}</ul></nav>`
}

export function missing(visit: Visit, key: string): Html {
  visit.status = 404
  return frame(visit, { title: visit.t(key), back: 'overview', content: false })
}

export const nowhere: View = {
  show: async (visit) => missing(visit, 'page-no-view'),
}

export const more: View = {
  async show(visit) {
    const { visitor, page } = visit
    const links = BEHIND_MORE.map(
      (section) => html`<li><a class="item" href="${hrefOf(section)}">
        ${icon(section)}<span class="grow">${sectionName(visit, section)}</span>${icon('forward')}</a></li>`,
    )
    return frame(visit, {
      title: sectionName(visit, 'more'),
      content: html`<ul class="card list phone-only">${links}</ul>
        <section class="card">
          <small>${visit.t('page-signed-in-as')}</small>
          <h2>${visitor.name || `id ${visitor.userId}`}</h2>
          <small>${visit.t('page-role-name', { role: visitor.role })}</small>
          ${!visit.canChange && html`<p>${visit.t('page-viewer')}</p>`}
          <p><small>${visit.t('page-time-zone', { timeZone: page.settings.timeZone })}</small></p>
          <form method="post" action="sign-out"><button type="submit" class="quiet">${visit.t('page-sign-out')}</button></form>
        </section>`,
    })
  },
}

export function card(
  title: string,
  content: Part,
  { hint, action, wide = false }: { hint?: string; action?: string; wide?: boolean } = {},
): Html {
  return html`<section class="card ${wide && 'wide'}">
    <header class="row"><h2 class="grow">${title}</h2>${action && html`<small>${action}</small>`}</header>
    ${hint && html`<p><small>${hint}</small></p>`}
    ${content}
  </section>`
}

export function empty(title: string, hint: string): Html {
  return html`<p class="empty"><strong>${title}</strong><br><small>${hint}</small></p>`
}

/** Labels and amounts: in rows, or in columns as `figures`. */
export function amounts(
  rows: readonly (readonly [label: string, amount: Part])[],
  look: 'rows' | 'figures' = 'rows',
): Html {
  return html`<dl class="${look}">${rows.map(
    ([label, amount]) => html`<div><dt>${label}</dt><dd>${amount}</dd></div>`,
  )}</dl>`
}

/** A bar that shows a share; the words beside it state the same share. */
export function bar(share: number, look: 'share' | 'full' = 'share'): Html {
  return html`<progress class="${look}" value="${share.toFixed(3)}" aria-hidden="true"></progress>`
}

/** The share of a part in a sum, from 0 to 1; 0 if the sum is 0. */
export function shareOf(part: bigint, sum: bigint): number {
  return sum <= 0n ? 0 : Math.min(1, Math.max(0, Number(part) / Number(sum)))
}

/** Reads the span from the address; without a span, 30 days. */
export function spanOf({ query }: Pick<Visit, 'query'>): ReportSpan {
  return SPANS.find((span) => span === query.get('span')) ?? '30d'
}

export function spanChoice(visit: Visit): Html {
  const chosen = spanOf(visit)
  const items = SPANS.map((span) => {
    const href = visit.href({ span })
    const name = visit.t('spend-span-button', { span: SPAN_NAMES[span] })
    return html`<a href="${href}" ${span === chosen && html`aria-current="true"`}>${name}</a>`
  })
  return html`<nav class="segments" aria-label="${visit.t('page-span')}">${items}</nav>`
}
