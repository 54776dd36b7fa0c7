/** `/users`, `/allow`, `/block` and `/role`: the known users, their access and their roles. */
import type { PrismaClient } from '../../platform/database/generated/client.ts'
import type { Access, AccessFacts } from '../people/access.ts'
import type { AccessRequests } from '../people/access-requests.ts'
import type { People } from '../people/people.ts'
import { type GiveRoleOutcome, giveRole } from '../people/roles.ts'
import { findUser, nameUser } from '../people/users.ts'
import type { Calendar } from '../spend/calendar.ts'
import { formatMoney } from '../spend/format.ts'
import { listKnownUsers } from '../spend/users.ts'
import { markInstant } from '../texts/dates.ts'
import { shortenLine } from '../texts/shorten.ts'
import type { Command, CommandDefinition } from './command.ts'

interface UsersApp {
  prisma: Pick<PrismaClient, '$queryRaw'>
  access: Pick<Access, 'statusOf' | 'roleOf'>
  calendar: Pick<Calendar, 'firstOf'>
  timeZone: string
}

interface DecisionApp {
  prisma: PrismaClient
  requests: Pick<AccessRequests, 'set'>
}

type RoleApp = People

/** The most users that a list shows: 100 lines are unreadable in a chat. */
const USERS_SHOWN_MAX = 30
const SEARCH_CHARS_MAX = 40

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

export const usersCommand: CommandDefinition<UsersApp> = {
  name: 'users',
  audience: 'viewers',
  listed: 'in_private',
  usage: '[search]',
  async handle(
    { prisma, access, calendar, timeZone },
    { argument: search, user: { languageCode }, isAdmin, t, answer },
  ) {
    const found = await listKnownUsers(prisma, { search, take: USERS_SHOWN_MAX + 1 }, calendar)
    const lines = found.slice(0, USERS_SHOWN_MAX).map((user) =>
      t('users-line', {
        user: accessLine(user, access, t),
        seen: user.seenAt === null ? '–' : markInstant(user.seenAt, { languageCode, timeZone }),
        month: formatMoney(user.monthMicroRub, languageCode),
      }),
    )
    const isCut = found.length > USERS_SHOWN_MAX
    const paragraphs = [
      search === ''
        ? t('users-all')
        : t('users-found', { search: shortenLine(search, SEARCH_CHARS_MAX) }),
      lines.join('\n') || t('users-none'),
      ...(isCut ? [t('users-more', { count: USERS_SHOWN_MAX })] : []),
      ...(isAdmin ? [t('access-usage')] : []),
    ]
    await answer(paragraphs.join('\n\n'))
  },
}

export const allowCommand: CommandDefinition<DecisionApp> = {
  name: 'allow',
  audience: 'admins',
  usage: '@name|id',
  handle: (app, command) => decide('allowed', app, command),
}

export const blockCommand: CommandDefinition<DecisionApp> = {
  name: 'block',
  audience: 'admins',
  usage: '@name|id',
  handle: (app, command) => decide('blocked', app, command),
}

export const roleCommand: CommandDefinition<RoleApp> = {
  name: 'role',
  audience: 'admins',
  usage: '@name|id admin|viewer|user',
  async handle(people, { argument, user: admin, t, answer }) {
    const [who = '', word = '', ...rest] = argument.split(/\s+/)
    const role = ROLES.get(word.toLowerCase() as 'admin')
    if (role === undefined || rest.length > 0) return answer(t('role-usage'))
    const user = await findUser(people.prisma, who)
    if (user === undefined) return answer(t('user-unknown'))
    const outcome = await giveRole(people, { userId: Number(user.id), role, adminId: admin.id })
    if (outcome !== 'given' && outcome !== 'unchanged') return answer(t(ROLE_REFUSALS[outcome]))
    // A viewer by VIEWER_IDS keeps that role.
    await answer(accessLine({ ...user, role }, people.access, t))
  },
}

async function decide(
  decision: 'allowed' | 'blocked',
  { prisma, requests }: DecisionApp,
  { argument, user: admin, t, answer }: Command,
): Promise<void> {
  const command = decision === 'allowed' ? 'allow' : 'block'
  if (!/^\S+$/.test(argument)) return answer(t(`${command}-usage`))
  const user = await findUser(prisma, argument)
  if (user === undefined) return answer(t('user-unknown'))
  const outcome = await requests.set({ userId: Number(user.id), decision, adminId: admin.id })
  const key = outcome === 'admin' ? 'block-admin' : `${command}-done`
  await answer(t(key, { name: nameUser(user), id: String(user.id) }))
}

function accessLine(
  user: AccessFacts & Parameters<typeof nameUser>[0],
  { statusOf, roleOf }: Pick<Access, 'statusOf' | 'roleOf'>,
  t: Command['t'],
): string {
  const state = statusOf(user) === 'insider' ? 'in' : (user.admission ?? 'out')
  const id = String(user.id)
  return t('access-line', { name: nameUser(user), id, state: roleOf(user) ?? state })
}
