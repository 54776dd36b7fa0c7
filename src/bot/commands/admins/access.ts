import type { Access, AccessSettings } from '../../people/access/access.ts'
import type { Admissions } from '../../people/access/admissions.ts'
import type { GiveRole, GiveRoleOutcome } from '../../people/access/give-role.ts'
import type { AccessRequests } from '../../people/access/requests.ts'
import type { LimitTexts } from '../../spend/limits/limit-texts.ts'
import type { Limits } from '../../spend/limits/limits.ts'
import type { Command, CommandDefinition, Press } from '../command.ts'
import { limitLines } from '../limit-lines.ts'
import { createAccessViews } from './access-views.ts'

const PAGE_SIZE = 8

/** A press's data: a page of the list, a user on it, or the decision about that user. */
const PAGE_DATA = /^access-page:(\d{1,5})$/
const USER_DATA = /^access-user:(\d{1,15}):(\d{1,5})$/
const DECIDE_DATA = /^access-(let|block):(\d{1,15}):(\d{1,5})$/
const ROLE_DATA = /^access-role:(admin|viewer|none):(\d{1,15}):(\d{1,5})$/

const ROLES = { admin: 'admin', viewer: 'viewer', none: null } as const

const REFUSALS: Readonly<Record<Exclude<GiveRoleOutcome, 'given' | 'unchanged'>, string>> = {
  unknown: 'user-unknown',
  blocked: 'role-blocked',
  fixed: 'role-fixed',
  not_admin: 'admins-only',
  last_admin: 'role-last-admin',
}

interface AccessDeps {
  access: Access
  admissions: Pick<Admissions, 'list' | 'read'>
  requests: Pick<AccessRequests, 'set'>
  giveRole: GiveRole
  limits: Pick<Limits, 'ofSubject'>
  limitTexts: LimitTexts
  timeZone: string
  settings: Pick<AccessSettings, 'adminIds' | 'allowedUserIds'>
}

/** Shows admins who is in and who is not, a page at a time, and lets them change it, the roles, and the limits. */
export const accessCommand: CommandDefinition<AccessDeps> = {
  name: 'access',
  audience: 'admins',
  listed: 'in_private',
  create: createAccessCommand,
}

function createAccessCommand(deps: AccessDeps) {
  const { access, admissions, requests, giveRole, limits, limitTexts, timeZone, settings } = deps
  const { listView, userView } = createAccessViews(access)
  const presses = [
    { data: PAGE_DATA, press: turnPage },
    { data: USER_DATA, press: open },
    { data: DECIDE_DATA, press: decide },
    { data: ROLE_DATA, press: changeRole },
  ]
  return { handle, presses }

  async function handle({ t, answer }: Command): Promise<void> {
    const { text, keyboard } = await readPage(0, t)
    await answer(text, { keyboard })
  }

  async function turnPage({ data, t, notify, edit }: Press): Promise<void> {
    const [, page = ''] = PAGE_DATA.exec(data) ?? []
    await notify()
    const { text, keyboard } = await readPage(Number(page), t)
    await edit(text, { keyboard })
  }

  async function open(press: Press): Promise<void> {
    const [, id, page] = USER_DATA.exec(press.data) ?? []
    await press.notify()
    await show(press, Number(id), Number(page))
  }

  async function decide(press: Press): Promise<void> {
    const [, verb, id, page] = DECIDE_DATA.exec(press.data) ?? []
    const { user, t, notify } = press
    const userId = Number(id)
    const decision = verb === 'let' ? 'allowed' : 'blocked'
    const { outcome } = await requests.set({ userId, decision, adminId: user.id })
    await notify(outcome === 'admin' ? t('block-admin') : undefined)
    await show(press, userId, Number(page))
  }

  async function changeRole(press: Press): Promise<void> {
    const [, role = 'none', id, page] = ROLE_DATA.exec(press.data) ?? []
    const { user, t, notify } = press
    const given = { userId: Number(id), role: ROLES[role as keyof typeof ROLES], adminId: user.id }
    const outcome = await giveRole(given)
    const isDone = outcome === 'given' || outcome === 'unchanged'
    await notify(isDone ? undefined : t(REFUSALS[outcome]))
    const isGivenUp = isDone && given.userId === user.id && given.role !== 'admin'
    if (isGivenUp || outcome === 'not_admin') return press.edit(t('admins-only'))
    await show(press, given.userId, Number(page))
  }

  async function show(press: Press, userId: number, page: number): Promise<void> {
    const user = await admissions.read(userId)
    if (user === null) return
    const { user: reader, t } = press
    const held = await limits.ofSubject(userId)
    const lines = limitLines(held, { limitTexts, timeZone, user: reader, t })
    const { text, keyboard } = userView(user, { limits: lines, page, t })
    await press.edit(text, { keyboard })
  }

  async function readPage(page: number, t: Command['t']) {
    const { adminIds, allowedUserIds } = settings
    const found = await admissions.list({
      without: [...adminIds],
      listed: allowedUserIds === 'everybody' ? undefined : [...allowedUserIds],
      skip: page * PAGE_SIZE,
      take: PAGE_SIZE,
    })
    const hasMore = found.length > PAGE_SIZE
    return listView(found.slice(0, PAGE_SIZE), { page, hasMore, t })
  }
}
