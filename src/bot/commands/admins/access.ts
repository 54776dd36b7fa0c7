import type { Access, AccessSettings } from '../../people/access/access.ts'
import type { Admissions } from '../../people/access/admissions.ts'
import type { GiveRole, GiveRoleOutcome } from '../../people/access/give-role.ts'
import type { AccessRequests } from '../../people/access/requests.ts'
import { type KnownUser, nameUser, type Users } from '../../people/users.ts'
import { accessLine, USERS_SHOWN_MAX } from '../access-line.ts'
import type { Command, CommandDefinition } from '../command.ts'

interface AccessDeps {
  access: Access
  admissions: Pick<Admissions, 'list'>
  settings: Pick<AccessSettings, 'adminIds' | 'allowedUserIds'>
}

interface DecisionDeps {
  users: Pick<Users, 'find'>
  requests: Pick<AccessRequests, 'set'>
}

interface RoleDeps {
  access: Access
  users: Pick<Users, 'find'>
  giveRole: GiveRole
}

const ROLES = new Map([
  ['admin', 'admin'],
  ['viewer', 'viewer'],
  ['user', null],
] as const)

const ROLE_REFUSALS: Readonly<Record<Exclude<GiveRoleOutcome, 'given' | 'unchanged'>, string>> = {
  unknown: 'user-unknown',
  blocked: 'role-blocked',
  fixed: 'role-fixed',
  not_admin: 'admins-only',
  last_admin: 'role-last-admin',
}

/** Lists for admins who has access and who does not, the latest decisions first. */
export const accessCommand: CommandDefinition<AccessDeps> = {
  name: 'access',
  audience: 'admins',
  listed: 'in_private',
  async handle({ access, admissions, settings: { adminIds, allowedUserIds } }, { t, answer }) {
    const found = await admissions.list({
      without: [...adminIds],
      listed: allowedUserIds === 'everybody' ? undefined : [...allowedUserIds],
      take: USERS_SHOWN_MAX + 1,
    })
    const lines = found.slice(0, USERS_SHOWN_MAX).map((user) => accessLine(user, access, t))
    const isCut = found.length > USERS_SHOWN_MAX
    const paragraphs = [
      t('access-list'),
      lines.join('\n') || t('access-nobody'),
      ...(isCut ? [t('users-more', { count: USERS_SHOWN_MAX })] : []),
      t('access-usage'),
    ]
    await answer(paragraphs.join('\n\n'))
  },
}

/** Gives a user access, also a blocked one. */
export const allowCommand: CommandDefinition<DecisionDeps> = {
  name: 'allow',
  audience: 'admins',
  usage: '@name|id',
  handle: (deps, command) => decide('allowed', deps, command),
}

/** Blocks a user. */
export const blockCommand: CommandDefinition<DecisionDeps> = {
  name: 'block',
  audience: 'admins',
  usage: '@name|id',
  handle: (deps, command) => decide('blocked', deps, command),
}

/** Makes a user an admin or a viewer, or takes the role away. */
export const roleCommand: CommandDefinition<RoleDeps> = {
  name: 'role',
  audience: 'admins',
  usage: '@name|id admin|viewer|user',
  async handle({ access, users, giveRole }, { argument, user: admin, t, answer }) {
    const [who = '', word = '', ...rest] = argument.split(/\s+/)
    const role = ROLES.get(word.toLowerCase() as 'admin')
    if (role === undefined || rest.length > 0) return answer(t('role-usage'))
    const user = await users.find(who)
    if (user === undefined) return answer(t('user-unknown'))
    const outcome = await giveRole({ userId: Number(user.id), role, adminId: admin.id })
    if (outcome !== 'given' && outcome !== 'unchanged') return answer(t(ROLE_REFUSALS[outcome]))
    // A viewer by VIEWER_IDS stays one.
    await answer(accessLine({ ...user, role }, access, t))
  },
}

async function decide(
  decision: 'allowed' | 'blocked',
  { users, requests }: DecisionDeps,
  { argument, user: admin, t, answer }: Command,
): Promise<void> {
  const command = decision === 'allowed' ? 'allow' : 'block'
  if (!/^\S+$/.test(argument)) return answer(t(`${command}-usage`))
  const user: KnownUser | undefined = await users.find(argument)
  if (user === undefined) return answer(t('user-unknown'))
  const { outcome } = await requests.set({ userId: Number(user.id), decision, adminId: admin.id })
  const key = outcome === 'admin' ? 'block-admin' : `${command}-done`
  await answer(t(key, { name: nameUser(user), id: String(user.id) }))
}
