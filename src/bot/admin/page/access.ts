/** The view of access: requests, users with access, blocked users and roles. */
import { type Admission, UserRole } from '../../../platform/database/generated/enums.ts'
import type { AccessFacts } from '../../people/access.ts'
import { USER_FIELDS } from '../../people/users.ts'
import { isMeantBy } from '../../spend/users.ts'
import { change, field, form, hidden, invalid, savedMark, saveRow } from './forms.ts'
import { type Html, html } from './html.ts'
import { empty, frame, sectionName } from './layout.ts'
import { LIST_MAX, nameOf, search, searchOf, userLabel, userList } from './users.ts'
import { hrefOf, type Problems, type View, type Visit } from './visit.ts'

const DECISIONS = ['allowed', 'refused', 'blocked'] as const
const ROLES = [null, ...Object.values(UserRole).toReversed()] as const

interface KnownUser extends AccessFacts {
  id: bigint
  firstName: string
  username: string | null
}

export const access: View = {
  async show(visit) {
    const { users, total } = await readUsers(visit)
    const none = empty(visit.t('page-no-users'), visit.t('page-no-users-hint'))
    const rows = users.map(
      (user) => html`<li><a class="item" href="${hrefOf(`users/${user.id}`)}">
        ${userLabel(visit, user)}<span class="end">${accessTags(visit, user)}</span></a></li>`,
    )
    return frame(visit, {
      title: sectionName(visit, 'access'),
      back: 'more',
      content: html`<div class="row">${search(visit)}</div>${userList(visit, { rows, total, none })}`,
    })
  },
}

export async function accessForms(visit: Visit, userId: number): Promise<Html> {
  const where = { id: userId }
  const found = await visit.page.prisma.user.findUnique({ where, select: USER_FIELDS })
  const nameless = { id: BigInt(userId), firstName: '', username: null }
  const user = found ?? { ...nameless, admission: null, role: null }
  const role = visit.page.access.roleOf(user) ?? null
  const isFixed = visit.page.settings.adminIds.has(userId)
  const hint = isFixed ? 'page-role-fixed' : 'page-role-hint'
  return html`<p>${accessTags(visit, user)}</p>
    ${visit.canChange && decisionForm(visit, user)}
    ${
      visit.canChange && !isFixed
        ? roleForm(visit, user)
        : html`<p>${visit.t('page-role')}: ${roleName(visit, role)}</p>`
    }
    <p><small>${visit.t(hint, { role: role ?? 'none' })}</small></p>`
}

export async function saveAccess(visit: Visit, fields: URLSearchParams): Promise<Problems> {
  const { page, visitor } = visit
  const id = fields.get('user') ?? ''
  const user = /^\d{1,15}$/.test(id)
    ? await page.prisma.user.findUnique({ where: { id: BigInt(id) }, select: USER_FIELDS })
    : null
  if (user === null) return { '': visit.t('page-no-user') }
  const given = { userId: Number(user.id), adminId: visitor.userId }
  const seen = fields.get('seen') || null
  if (fields.has('role')) {
    const role = ROLES.find((one) => (one ?? 'none') === fields.get('role'))
    if (role === undefined) return invalid(visit)
    const describe = (now: string | null) => visit.t('page-role-name', { role: now ?? 'none' })
    return change(visit, { field: 'role', describe }, async () => {
      const seenRole = seen as UserRole | null
      const outcome = await page.decisions.giveRole({ ...given, role, seen: seenRole })
      if (outcome === 'given' || outcome === 'unchanged') return {}
      return { role: visit.t(ROLE_REFUSALS[outcome]) }
    })
  }
  const decision = DECISIONS.find((one) => one === fields.get('decision'))
  if (decision === undefined) return invalid(visit)
  const describe = (now: string | null) =>
    stateName(visit, { ...user, admission: now as Admission | null })
  return change(visit, { field: '', describe }, async () => {
    const seenDecision = seen as Admission | null
    const outcome = await page.decisions.setAccess({ ...given, decision, seen: seenDecision })
    const isRefused = outcome === 'admin' || outcome === 'unknown'
    return isRefused ? { '': visit.t(DECISION_REFUSALS[outcome]) } : {}
  })
}

const DECISION_REFUSALS = { admin: 'block-admin', unknown: 'page-no-user' }

const ROLE_REFUSALS = {
  unknown: 'page-no-user',
  fixed: 'role-fixed',
  blocked: 'role-blocked',
  last_admin: 'role-last-admin',
  not_admin: 'admins-only',
}

/** Requests come first, then users with a role, then the latest decision. */
async function readUsers(visit: Visit): Promise<{ users: KnownUser[]; total: number }> {
  const { prisma, settings } = visit.page
  const named = [...settings.adminIds, ...settings.viewerIds]
  const users = await prisma.$queryRaw<(KnownUser & { total: number })[]>`
    SELECT id, first_name AS "firstName", username, admission::text, role::text,
      (count(*) OVER ())::int AS total
    FROM bot."user" LEFT JOIN bot.request
      ON kind = 'access' AND subject_id = "user".id AND period = 'all'
    WHERE id > 0 AND ${isMeantBy(searchOf(visit))}
    ORDER BY admission IS NOT DISTINCT FROM 'requested' DESC,
      role IS NOT NULL OR id = ANY (${named}::bigint[]) DESC,
      coalesce(decided_at, asked_at) DESC NULLS LAST, id
    LIMIT ${LIST_MAX}`
  return { users, total: users[0]?.total ?? 0 }
}

/** A block takes a second click: its user notices it at once. */
function decisionForm(visit: Visit, user: KnownUser): Html {
  const { statusOf, roleOf } = visit.page.access
  const status = statusOf(user)
  const name = `access-${user.id}-decision`
  const button = (decision: (typeof DECISIONS)[number], look: 'quiet' | '' = '') =>
    html`<button type="submit" class="${look}" name="decision" value="${decision}">${visit.t('page-decide', { decision })}</button>`
  const canBlock = status !== 'blocked' && roleOf(user) !== 'admin'
  return form(visit, name, [
    hidden('user', user.id),
    hidden('seen', user.admission ?? ''),
    html`<div class="row">
      ${status !== 'insider' && button('allowed')}
      ${user.admission === 'requested' && button('refused', 'quiet')}
      ${
        canBlock &&
        html`<details class="edit" id="${name}-block"><summary class="bad">${visit.t('page-decide', { decision: 'blocked' })}</summary>
          <p>${visit.t('page-block-sure', { name: nameOf(visit, user) })}</p>${button('blocked')}</details>`
      }
      ${savedMark(visit, name)}
    </div>`,
  ])
}

function roleForm(visit: Visit, user: KnownUser): Html {
  const name = `access-${user.id}-role`
  return form(visit, name, [
    hidden('user', user.id),
    hidden('seen', user.role ?? ''),
    field(visit, name, {
      name: 'role',
      label: visit.t('page-role'),
      value: user.role ?? 'none',
      options: ROLES.map((role) => [role ?? 'none', roleName(visit, role)] as const),
    }),
    saveRow(visit, savedMark(visit, name)),
  ])
}

function accessTags(visit: Visit, user: AccessFacts): Html {
  const role = visit.page.access.roleOf(user)
  const state = stateOf(visit, user)
  return html`<mark class="${state}">${stateName(visit, user)}</mark>
    ${role && html`<mark>${roleName(visit, role)}</mark>`}`
}

function stateOf({ page }: Visit, user: AccessFacts): string {
  const status = page.access.statusOf(user)
  if (status !== 'outsider') return status
  return user.admission === 'requested' || user.admission === 'refused' ? user.admission : status
}

function stateName(visit: Visit, user: AccessFacts): string {
  return visit.t('page-access-state', { state: stateOf(visit, user) })
}

function roleName(visit: Visit, role: UserRole | null): string {
  return visit.t('page-role-name', { role: role ?? 'none' })
}
