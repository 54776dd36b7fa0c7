/** The list of users, and the names of users in every list. */
import type { NamedUser } from '../../change-log.ts'
import type { UserSpend } from '../../spend/reports.ts'
import type { UserName } from '../../spend/users.ts'
import { hidden } from './forms.ts'
import { type Html, html, type Part } from './html.ts'
import { empty, frame, sectionName, spanChoice, spanOf } from './layout.ts'
import { hrefOf, type View, type Visit } from './visit.ts'

/** The most lines of a list; a search finds the others. */
export const LIST_MAX = 100
const SEARCH_CHARS_MAX = 100

type AnyUser = NamedUser | UserName

/** Every user, by spending; searched by a name, a username or an id. */
export const users: View = {
  async show(visit) {
    const asked = { span: spanOf(visit), search: searchOf(visit), skip: 0, take: LIST_MAX }
    const { users, total } = await visit.page.reports.users(asked)
    const rows = users.map((one) => userRow(visit, one, visit.money(one.spend.amountMicroRub)))
    const none = empty(visit.t('page-no-spenders'), visit.t('page-nothing-yet'))
    return frame(visit, {
      title: sectionName(visit, 'users'),
      content: html`<div class="row">${search(visit)}${spanChoice(visit)}</div>
        ${userList(visit, { rows, total, none })}`,
    })
  },
}

/** A user with their spending; links to their view. */
export function userRow(visit: Visit, { user, spend }: UserSpend, amount: string): Html {
  return html`<li><a class="item" href="${hrefOf(`users/${user.id}`, { span: spanOf(visit) })}">
    ${userLabel(visit, user)}
    <span class="end"><span>${amount}</span>
      <small>${visit.t('page-charge-count', { count: spend.charges })}</small></span></a></li>`
}

/** A search field, which sends when the typing pauses and keeps the span. */
export function search(visit: Visit): Html {
  return html`<search class="grow"><form method="get" action="${hrefOf(visit.path)}">
    ${visit.query.has('span') && hidden('span', spanOf(visit))}
    <input type="search" name="search" id="search" autocomplete="off" maxlength="${SEARCH_CHARS_MAX}"
      value="${searchOf(visit)}" aria-label="${visit.t('page-search')}"
      placeholder="${visit.t('page-search-hint')}">
  </form></search>`
}

export function searchOf({ query }: Pick<Visit, 'query'>): string {
  return (query.get('search') ?? '').slice(0, SEARCH_CHARS_MAX)
}

export function userList(
  visit: Visit,
  { rows, total, none }: { rows: readonly Html[]; total: number; none: Html },
): Html {
  const search = searchOf(visit)
  const notFound = empty(visit.t('page-none-found', { search }), visit.t('page-none-found-hint'))
  const noUsers = search === '' ? none : notFound
  return html`<section class="card">
    ${total > 0 && html`<p><small>${visit.t('page-users-found', { count: total })}</small></p>`}
    ${total === 0 ? noUsers : html`<ul class="list">${rows}</ul>`}
    ${total > LIST_MAX && html`<p><small>${visit.t('page-list-cut', { count: LIST_MAX })}</small></p>`}
  </section>`
}

export function userLabel(visit: Visit, user: AnyUser): Html {
  return html`${avatar(user)}
    <span class="grow">${nameOf(visit, user)}<small>${handleOf(user)}</small></span>`
}

/** A line of a list: a title, a sentence about it, and an amount at the end. */
export function listItem(title: Part, about: Part, end?: Part): Html {
  return html`<li class="item"><span class="grow">${title}<small>${about}</small></span>${end}</li>`
}

/** The initials of a user in a circle of a constant colour. */
function avatar(user: AnyUser): Html {
  const words = givenName(user).split(/\s+/).slice(0, 2)
  const letters = words.map((word) => Array.from(word)[0] ?? '').join('')
  const hue = (Math.abs(Number(user.id)) * 67) % 360
  return html`<svg class="avatar" viewBox="0 0 38 38" aria-hidden="true">
    <circle cx="19" cy="19" r="19" fill="hsl(${hue} 70% 55% / 25%)"/>
    <text x="19" y="24" text-anchor="middle">${letters.toUpperCase() || '–'}</text></svg>`
}

/** The name of a user or a group; a user who erased everything has none. */
export function nameOf(visit: Visit, user: AnyUser): string {
  const name = givenName(user)
  if (name !== '') return name
  return user.id < 0 ? visit.t('page-group', { id: String(user.id) }) : visit.t('page-erased')
}

export function subjectLink(visit: Visit, subject: AnyUser): Html {
  const name = nameOf(visit, subject)
  if (subject.id < 0) return html`<span>${name}</span>`
  return html`<a href="${hrefOf(`users/${subject.id}`)}">${name}</a>`
}

export function handleOf({ id, username }: AnyUser): string {
  return username === null ? `id ${id}` : `@${username}`
}

function givenName(user: AnyUser): string {
  return 'name' in user ? user.name : user.firstName
}
