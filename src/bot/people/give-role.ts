import type { Prisma, PrismaClient } from '../../platform/database/generated/client.ts'
import type { UserRole } from '../../platform/database/generated/enums.ts'
import { recordChange } from '../change-log.ts'
import type { Access, AccessFacts, AccessSettings } from './access.ts'

/** A role to be given; null takes away the one that was given. */
export interface NewRole {
  userId: number
  role: UserRole | null
  adminId: number
  /** The given role that the admin saw; null if there was none. */
  seen?: UserRole | null | undefined
}

/**
 * `fixed`: the settings make the user an admin. `not_admin`: who gives it is none any more. `last_admin`:
 * no admin would be left to give the role back.
 */
export type GiveRoleOutcome =
  | 'given'
  | 'unchanged'
  | 'unknown'
  | 'blocked'
  | 'fixed'
  | 'not_admin'
  | 'last_admin'

export interface GiveRoleDeps {
  prisma: PrismaClient
  settings: Pick<AccessSettings, 'adminIds'>
  access: Pick<Access, 'roleOf'>
  showRole: (userId: number) => Promise<unknown>
}

/**
 * Gives roles, and takes them away.
 *
 * A user whose role changed is notified, and has the menu of the new one. What a crash left undone of that is done
 * when the press is handled again.
 */
export function createGiveRole({ prisma, settings, access, showRole }: GiveRoleDeps) {
  return async function giveRole(given: NewRole): Promise<GiveRoleOutcome> {
    const outcome = await prisma.$transaction((tx) => write(tx, given))
    if (outcome === 'given' || outcome === 'unchanged') await showRole(given.userId)
    return outcome
  }

  /**
   * Invariant: an admin stays. All who are admins are held, and the giver with them, before the judgement: of
   * two admins who unmake each other one succeeds, and two who unmake themselves leave one.
   */
  async function write(tx: Prisma.TransactionClient, given: NewRole): Promise<GiveRoleOutcome> {
    const { userId, role, adminId, seen } = given
    const held = await tx.$queryRaw<AccessFacts[]>`
      SELECT id, admission::text, role::text FROM bot."user"
      WHERE role = 'admin' OR id IN (${userId}, ${adminId})
      ORDER BY id FOR NO KEY UPDATE`
    const refusal = findRefusal(held, given)
    if (refusal !== undefined) return refusal
    const before = held.find(({ id }) => Number(id) === userId)?.role ?? null
    if (before === role) return 'unchanged'
    await tx.user.update({ where: { id: userId }, data: { role, isRoleUntold: true } })
    await recordChange(tx, { adminId, what: 'role', subjectId: userId, before, after: role, seen })
    return 'given'
  }

  function findRefusal(
    held: readonly AccessFacts[],
    { userId, role, adminId }: NewRole,
  ): GiveRoleOutcome | undefined {
    const find = (userId: number) => held.find(({ id }) => Number(id) === userId)
    const giver = find(adminId) ?? { id: adminId, admission: null, role: null }
    const user = find(userId)
    if (access.roleOf(giver) !== 'admin') return 'not_admin'
    // A group writes to the bot as well, and Telegram does not show who in it.
    if (user === undefined || userId <= 0) return 'unknown'
    if (settings.adminIds.has(userId)) return 'fixed'
    if (user.admission === 'blocked') return 'blocked'
    const others = held.filter((one) => Number(one.id) !== userId && access.roleOf(one) === 'admin')
    const isLast = user.role === 'admin' && settings.adminIds.size === 0 && others.length === 0
    return isLast && role !== 'admin' ? 'last_admin' : undefined
  }
}

export type GiveRole = ReturnType<typeof createGiveRole>
