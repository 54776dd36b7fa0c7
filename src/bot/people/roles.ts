import type { PrismaClient } from '../../platform/database/generated/client.ts'
import type { UserRole } from '../../platform/database/generated/enums.ts'
import type { Access, AccessSettings } from './access.ts'
import { languageOf, USER_FIELDS } from './users.ts'

/** A user who has a role now. */
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

/** Knows who the admins and viewers are now: those whom the settings name and those whom admins made. */
export function createRoles({ prisma, settings, access }: RolesDeps) {
  return { holders, admins, of }

  /** Reads the holders each time: any process gives roles and takes them away. */
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
