/** The log of the admins' changes, latest first. */
import { type LoggedChange, type NamedUser, readChanges } from '../../change-log.ts'
import { ALL_GROUPS, EVERYBODY } from '../../spend/limits.ts'
import { type Html, html } from './html.ts'
import { empty, frame, sectionName } from './layout.ts'
import { LIST_MAX, listItem, nameOf, subjectLink } from './users.ts'
import { hrefOf, type View, type Visit } from './visit.ts'

const AMOUNT = /^-?\d+$/
const WORD = /^[a-z]+$/

export const changes: View = {
  async show(visit) {
    const typed = visit.query.get('before') ?? ''
    const before = /^\d{1,18}$/.test(typed) ? BigInt(typed) : undefined
    const { changes, next } = await readChanges(visit.page.prisma, { before, take: LIST_MAX })
    const more = next !== undefined && hrefOf('changes', { before: String(next) })
    return frame(visit, {
      title: sectionName(visit, 'changes'),
      back: 'more',
      content: html`<section class="card">
        ${changes.length === 0 && empty(visit.t('page-no-changes'), visit.t('page-no-changes-hint'))}
        <ol class="list">${changes.map((change) => changeRow(visit, change))}</ol>
        ${more && html`<p><a role="button" class="quiet" href="${more}">${visit.t('page-earlier')}</a></p>`}
      </section>`,
    })
  },
}

function changeRow(visit: Visit, change: LoggedChange): Html {
  const { admin, at, what, subject, before, after } = change
  const isAbout = subject !== null || what.startsWith('limit_')
  const [old, value] = [describeValue(visit, change, before), describeValue(visit, change, after)]
  const shownOld = before === null ? old : html`<del>${old}</del>`
  const title = html`${nameOfChanged(visit, what)}${isAbout && html` · ${subjectName(visit, subject)}`}
    <span>${shownOld} <span aria-hidden="true">→</span> <ins>${value}</ins></span>`
  return listItem(title, `${nameOf(visit, admin)} · ${visit.instant(at)}`)
}

function subjectName(visit: Visit, subject: NamedUser | null): Html | string {
  if (subject === null) return visit.t('page-default', { whose: 'users' })
  if (subject.id === Number(ALL_GROUPS)) return visit.t('page-default', { whose: 'groups' })
  if (subject.id === Number(EVERYBODY)) return visit.t('page-everybody')
  return subjectLink(visit, subject)
}

/** Names the subject of a change; a subject without a text keeps its stored name. */
function nameOfChanged(visit: Visit, what: string): string {
  const name = what.replace(/^setting:/, '')
  return visit.t('page-changed', { what: name, name: name.replaceAll('_', ' ') })
}

function describeValue(visit: Visit, { what }: LoggedChange, value: string | null): string {
  if (value === null) return visit.t('page-changed-nothing')
  const isAmount = what.startsWith('limit_') || what.endsWith('_micro_rub')
  if (isAmount && AMOUNT.test(value)) return visit.money(BigInt(value))
  return WORD.test(value) ? visit.t('page-changed-value', { value }) : value
}
