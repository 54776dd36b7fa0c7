import { Prisma, type PrismaClient } from '../../../platform/database/generated/client.ts'
import type { Access, AccessFacts, AccessSettings } from '../../people/access/access.ts'
import { USER_FIELDS } from '../../people/users.ts'
import { isMeantBy } from '../../spend/users.ts'
import type { AccessAnswer, WireAccess } from './api.ts'

const PAGE_SIZE = 50

export interface AccessListDeps {
  prisma: PrismaClient
  access: Access
  settings: AccessSettings
}

interface FoundRow extends AccessFacts {
  firstName: string
  username: string | null
  total: number
}

/** Reads who may talk to the bot and who may see the page. */
export function createAccessList({ prisma, access, settings }: AccessListDeps) {
  return { accessOf, read }

  async function accessOf(userId: number): Promise<WireAccess> {
    const user = await prisma.user.findUnique({ where: { id: userId }, select: USER_FIELDS })
    return toAccess(user ?? { id: userId, admission: null, role: null })
  }

  async function read({ search, page }: { search: string; page: number }): Promise<AccessAnswer> {
    const rows = await prisma.$queryRaw<FoundRow[]>`
      SELECT id, first_name AS "firstName", username, admission::text, role::text,
        (count(*) OVER ())::int AS total
      FROM bot."user" WHERE id > 0 AND ${isMeantBy(search) ?? Prisma.sql`true`}
      ORDER BY admission IS NOT DISTINCT FROM 'requested' DESC,
        role IS NOT NULL OR id = ANY (${namedIds()}::bigint[]) DESC,
        admission_at DESC NULLS LAST, id
      LIMIT ${PAGE_SIZE} OFFSET ${page * PAGE_SIZE}`
    const users = rows.map(({ firstName: name, username, total: _, ...facts }) => {
      return { id: Number(facts.id), name, username, access: toAccess(facts) }
    })
    return { users, page, pageSize: PAGE_SIZE, total: rows[0]?.total ?? 0 }
  }

  function namedIds(): number[] {
    return [...settings.adminIds, ...settings.viewerIds]
  }

  function toAccess(user: AccessFacts): WireAccess {
    return {
      role: access.roleOf(user) ?? null,
      isRoleFixed: settings.adminIds.has(Number(user.id)),
      status: access.statusOf(user),
      decision: user.admission,
    }
  }
}
