import type { Prisma, PrismaClient } from '../../platform/database/generated/client.ts'
import type { UserRole } from '../../platform/database/generated/enums.ts'
import { recordChange } from '../change-log.ts'
import { sendBestEffort } from '../telegram/shortcuts.ts'
import type { Access, AccessFacts, AccessSettings } from './access.ts'
import type { People } from './people.ts'
import { languageOf, USER_FIELDS } from './users.ts'

export interface RoleHolder {
  userId: number
  role: UserRole
  languageCode: string | undefined
}

export interface RolesDeps {
  prisma: Pick<PrismaClient, 'user'>
  settings: Pick<AccessSettings, 'adminIds' | 'viewerIds'>
  access: Pick<Access, 'roleOf'>
}

/** Reads the admins and viewers from the settings and from appointments by admins. */
export function createRoles({ prisma, settings, access }: RolesDeps) {
  return { holders, admins, of }

  /** Reads the holders each time, because any process may change roles. */
  async function holders(): Promise<RoleHolder[]> {
    const namedIds = [...new Set([...settings.adminIds, ...settings.viewerIds])]
    const known = await prisma.user.findMany({
      where: { OR: [{ role: { not: null } }, { id: { in: namedIds } }] },
      orderBy: { id: 'asc' },
      select: USER_FIELDS,
    })
    const knownIds = new Set(known.map(({ id }) => Number(id)))
    const strangers = namedIds.filter((id) => !knownIds.has(id)).map(toStranger)
    return [...known, ...strangers].flatMap((user) => {
      const role = access.roleOf(user)
      return role ? [{ userId: Number(user.id), role, languageCode: languageOf(user) }] : []
    })
  }

  async function admins(): Promise<RoleHolder[]> {
    return (await holders()).filter(({ role }) => role === 'admin')
  }

  async function of(userId: number): Promise<UserRole | undefined> {
    const user = await prisma.user.findUnique({ where: { id: userId }, select: USER_FIELDS })
    return access.roleOf(user ?? toStranger(userId))
  }
}

export type Roles = ReturnType<typeof createRoles>

function toStranger(id: number) {
  return { id, admission: null, role: null, language: null, languageCode: null }
}

/** A new role; null removes the given role. */
export interface NewRole {
  userId: number
  role: UserRole | null
  adminId: number
  /** The given role that the admin saw; null if there was none. */
  seen?: UserRole | null | undefined
}

/** `fixed`: the settings make the user an admin. `not_admin`: the giver has lost the role. `last_admin`: no other. */
export type GiveRoleOutcome =
  | 'given'
  | 'unchanged'
  | 'unknown'
  | 'blocked'
  | 'fixed'
  | 'not_admin'
  | 'last_admin'

type RoleContext = Pick<People, 'prisma' | 'access' | 'settings'>

/** Gives or removes a role, and shows it. A repetition finishes the steps that a crash left undone. */
export async function giveRole(people: People, given: NewRole): Promise<GiveRoleOutcome> {
  const outcome = await storeRole(people, given)
  if (outcome === 'given' || outcome === 'unchanged') await showRole(people, given.userId)
  return outcome
}

export function storeRole(context: RoleContext, given: NewRole): Promise<GiveRoleOutcome> {
  return context.prisma.$transaction((tx) => writeRole(tx, context, given))
}

/**
 * Invariant: an admin stays. Locks all admins and the giver before the decision: if two admins remove each other or
 * themselves, only one succeeds.
 */
async function writeRole(
  tx: Prisma.TransactionClient,
  context: RoleContext,
  given: NewRole,
): Promise<GiveRoleOutcome> {
  const { userId, role, adminId, seen } = given
  const held = await tx.$queryRaw<AccessFacts[]>`
    SELECT id, admission::text, role::text FROM bot."user"
    WHERE role = 'admin' OR id IN (${userId}, ${adminId})
    ORDER BY id FOR NO KEY UPDATE`
  const refusal = findRefusal(context, held, given)
  if (refusal !== undefined) return refusal
  const before = held.find(({ id }) => Number(id) === userId)?.role ?? null
  if (before === role) return 'unchanged'
  await tx.user.update({ where: { id: userId }, data: { role, isRoleUntold: true } })
  await recordChange(tx, { adminId, what: 'role', subjectId: userId, before, after: role, seen })
  return 'given'
}

function findRefusal(
  { access, settings: { adminIds } }: RoleContext,
  held: readonly AccessFacts[],
  { userId, role, adminId }: NewRole,
): GiveRoleOutcome | undefined {
  const find = (userId: number) => held.find(({ id }) => Number(id) === userId)
  const giver = find(adminId) ?? { id: adminId, admission: null, role: null }
  const user = find(userId)
  if (access.roleOf(giver) !== 'admin') return 'not_admin'
  // Groups also write to the bot, without the identity of the author.
  if (user === undefined || userId <= 0) return 'unknown'
  if (adminIds.has(userId)) return 'fixed'
  if (user.admission === 'blocked') return 'blocked'
  const others = held.filter((one) => Number(one.id) !== userId && access.roleOf(one) === 'admin')
  const isLast = user.role === 'admin' && adminIds.size === 0 && others.length === 0
  return isLast && role !== 'admin' ? 'last_admin' : undefined
}

/**
 * Shows a user the menus of a new role, and a sentence.
 *
 * Safe to repeat: sends the sentence once, unless a process dies in between.
 *
 * @returns Whether it sent the sentence now.
 */
export async function showRole(
  { prisma, access, outbox, texts, showMenus, log }: People,
  userId: number,
): Promise<boolean> {
  const select = { ...USER_FIELDS, isRoleUntold: true } as const
  const user = await prisma.user.findUniqueOrThrow({ where: { id: userId }, select })
  const role = access.roleOf(user)
  const languageCode = languageOf(user)
  await showMenus({ userId, role, languageCode })
  if (!user.isRoleUntold) return false
  const text = texts.t(languageCode, `role-now-${role ?? 'none'}`)
  const ifLost = 'user maybe not notified of a new role'
  const send = () => outbox.send({ chatId: userId, text })
  await sendBestEffort(send, { chatId: userId, ifLost, log })
  await prisma.user.update({ where: { id: userId }, data: { isRoleUntold: false } })
  return true
}
