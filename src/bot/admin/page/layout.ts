import type { NamedUser } from '../../change-log.ts'
import { type ReportSpan, SPANS } from '../../spend/reports.ts'
import type { UserName } from '../../spend/users.ts'
import { type Html, html, type Part } from './html.ts'
import { hrefOf, type Visit } from './visit.ts'

export const PAGE_SIZE = 50
const PAGE_MAX = 100_000
const SEARCH_CHARS_MAX = 100

/** Names of spans in the texts, whose variants begin with a letter. */
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

export const SECTIONS = [
  'overview',
  'users',
  'check',
  'limits',
  'access',
  'settings',
  'changes',
  'more',
] as const

/** The sections that a phone's row of tabs has no room for: "More" leads to them. */
export const BEHIND_MORE = ['limits', 'access', 'settings', 'changes'] as const

export function icon(name: keyof typeof ICONS): Html {
  return html`<svg class="icon" viewBox="0 0 24 24" aria-hidden="true"><path d="${ICONS[name]}"/></svg>`
}

/** A view between the ways to all others: its title, what stands beside that, and its content. */
export function frame(visit: Visit, { title, subtitle, back, action, content }: FrameParts): Html {
  const [section = ''] = visit.path.split('/')
  const isBehindMore = BEHIND_MORE.some((name) => name === section)
  const items = SECTIONS.map((name) => {
    const isHidden = BEHIND_MORE.some((hidden) => hidden === name)
    const classes = `${isHidden ? 'wide-only' : ''} ${name === 'more' && isBehindMore ? 'within' : ''}`
    return html`<li class="${classes}">
      <a href="${hrefOf(name)}" ${name === section && html`aria-current="page"`}>
        ${icon(name)}<span>${sectionName(visit, name)}</span></a></li>`
  })
  return html`<div class="shell">
    <a class="skip" href="#content">${visit.t('page-skip')}</a>
    <nav class="sections" aria-label="${visit.t('page-menu')}">
      <span class="brand" aria-hidden="true">Kopeck</span>
      <ul>${items}</ul>
    </nav>
    <main id="content" lang="${visit.language}">
      <header class="view-header">
        ${back && html`<a class="back" href="${hrefOf(back)}" aria-label="${visit.t('page-back')}">${icon('back')}</a>`}
        <div class="grow"><h1 tabindex="-1">${title}</h1>${subtitle && html`<p class="hint">${subtitle}</p>`}</div>
        ${action}
      </header>
      ${content}
    </main>
  </div>`
}

export interface FrameParts {
  title: string
  subtitle?: string | undefined
  /** The view that this one belongs to. */
  back?: string
  action?: Html
  content: Part
}

/** A view that is not there. */
export function missing(visit: Visit, key: 'page-no-view' | 'page-no-user'): Html {
  visit.status = 404
  return frame(visit, { title: visit.t(key), back: 'overview', content: false })
}

export function sectionName(visit: Visit, section: (typeof SECTIONS)[number]): string {
  return visit.t('page-section', { section })
}

/** A titled part of a view. */
export function card(title: string, { hint, action, wide, content }: CardParts): Html {
  return html`<section class="card ${wide && 'wide'}">
    <header><h2>${title}</h2>${action}</header>
    ${hint && html`<p class="hint">${hint}</p>`}
    ${content}
  </section>`
}

interface CardParts {
  hint?: string | undefined
  action?: Part
  wide?: boolean
  content: Part
}

/** Stands in a list that has nothing in it. */
export function empty(title: string, hint: string): Html {
  return html`<div class="empty"><p><strong>${title}</strong></p><p class="hint">${hint}</p></div>`
}

/** Labels and amounts below each other. */
export function amounts(rows: readonly (readonly [label: string, amount: Part])[]): Html {
  return html`<dl class="amounts">${rows.map(
    ([label, amount]) => html`<div><dt>${label}</dt><dd class="num">${amount}</dd></div>`,
  )}</dl>`
}

/** A bar whose parts take their share of a whole; the words beside it say the same. */
export function bar(
  parts: readonly (readonly [microRub: bigint, name: string])[],
  whole: bigint,
): Html {
  let left = 0
  const drawn = parts.map(([microRub, name]) => {
    const width = Math.min(100 - left, 100 * shareOf(microRub, whole))
    left += width
    return html`<rect class="${name}" x="${(left - width).toFixed(2)}%" width="${width.toFixed(2)}%" height="8"/>`
  })
  return html`<svg class="bar" height="8" aria-hidden="true">${drawn}</svg>`
}

/** A part of a sum, from 0 to 1; of a sum that is nothing, 0. */
export function shareOf(part: bigint, sum: bigint): number {
  return sum <= 0n ? 0 : Math.min(1, Math.max(0, Number(part) / Number(sum)))
}

/** Reads which time the address names; without one, 30 days. */
export function spanOf({ query }: Pick<Visit, 'query'>): ReportSpan {
  return SPANS.find((span) => span === query.get('span')) ?? '30d'
}

/** Lets the reader choose the time that is shown. */
export function spanChoice(visit: Visit): Html {
  const chosen = spanOf(visit)
  const items = SPANS.map((span) => {
    const href = visit.href({ span, page: '' })
    const name = visit.t('spend-span-button', { span: SPAN_NAMES[span] })
    return html`<a href="${href}" ${span === chosen && html`aria-current="true"`}>${name}</a>`
  })
  return html`<nav class="segments" aria-label="${visit.t('page-span')}">${items}</nav>`
}

/** A line to search by, which asks when the typing pauses. It keeps the span. */
export function search(visit: Visit): Html {
  return html`<search><form method="get" action="${hrefOf(visit.path)}">
    ${visit.query.has('span') && html`<input type="hidden" name="span" value="${spanOf(visit)}">`}
    <input type="search" name="search" id="search" autocomplete="off" maxlength="${SEARCH_CHARS_MAX}"
      value="${searchOf(visit)}" aria-label="${visit.t('page-search')}"
      placeholder="${visit.t('page-search-hint')}">
  </form></search>`
}

export function searchOf({ query }: Pick<Visit, 'query'>): string {
  return (query.get('search') ?? '').slice(0, SEARCH_CHARS_MAX)
}

/** The page of a list that the address names, from 0. */
export function pageOf({ query }: Pick<Visit, 'query'>): number {
  const page = query.get('page') ?? ''
  return /^\d{1,6}$/.test(page) ? Math.min(Number(page), PAGE_MAX) : 0
}

/** One page of the users that a search found, and the ways to other pages. */
export function userList(
  visit: Visit,
  { rows, total, none }: { rows: readonly Html[]; total: number; none: Html },
): Html {
  const [page, search] = [pageOf(visit), searchOf(visit)]
  const first = page * PAGE_SIZE
  const to = Math.min(total, first + PAGE_SIZE)
  const noUsers =
    search === ''
      ? none
      : empty(visit.t('page-none-found', { search }), visit.t('page-none-found-hint'))
  const turn = (key: string, to: number, isThere: boolean) =>
    isThere
      ? html`<a role="button" class="quiet" href="${visit.href({ page: to })}">${visit.t(key)}</a>`
      : html`<span></span>`
  return html`<section class="card">
    ${total > 0 && html`<p class="hint">${visit.t('page-users-found', { count: total })}</p>`}
    ${rows.length === 0 ? noUsers : html`<ul class="list">${rows}</ul>`}
    ${
      total > PAGE_SIZE &&
      html`<nav class="pager" aria-label="${visit.t('page-pages')}">
        ${turn('page-list-previous', page - 1, page > 0)}
        <span class="hint num">${visit.t('page-range', { from: Math.min(first + 1, total), to, total })}</span>
        ${turn('page-list-next', page + 1, to < total)}
      </nav>`
    }
  </section>`
}

type AnyUser = NamedUser | UserName

/** The circle with the first letters of a name, the name, and what distinguishes users of one name. */
export function userLabel(visit: Visit, user: AnyUser): Html {
  return html`${avatar(user)}
    <span class="grow"><span class="name">${nameOf(visit, user)}</span><span class="hint">${handleOf(user)}</span></span>`
}

export function avatar(user: AnyUser): Html {
  const words = givenName(user).split(/\s+/).slice(0, 2)
  const letters = words.map((word) => Array.from(word)[0] ?? '').join('')
  const tint = Math.abs(Number(user.id)) % 6
  return html`<span class="avatar tint-${tint}" aria-hidden="true">${letters.toUpperCase() || '–'}</span>`
}

/** The name of a user or a group; a user who had everything erased has none. */
export function nameOf(visit: Visit, user: AnyUser): string {
  const name = givenName(user)
  if (name !== '') return name
  return user.id < 0 ? visit.t('page-group', { id: String(user.id) }) : visit.t('page-erased')
}

export function handleOf({ id, username }: AnyUser): string {
  return username === null ? `id ${id}` : `@${username}`
}

export function capitalize(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}

function givenName(user: AnyUser): string {
  return 'name' in user ? user.name : user.firstName
}
