import type { Admission, UserRole } from '../../platform/database/generated/enums.ts'

/** An outsider may ask for access; a blocked user receives no answer. */
export type AccessStatus = 'insider' | 'outsider' | 'blocked'

export interface AccessSettings {
  /** They stay admins even if the database disagrees. */
  adminIds: ReadonlySet<number>
  viewerIds: ReadonlySet<number>
  allowedUserIds: ReadonlySet<number> | 'everybody'
}

/** The users with access before any decision of an admin; others may ask. */
export type OpenTo = 'everybody' | 'listed' | 'admins'

export interface AccessFacts {
  id: number | bigint
  admission: Admission | null
  role: UserRole | null
}

/** Decides who may talk to the bot: users with a role, and listed or admitted users who are not blocked. */
export function createAccess({ adminIds, viewerIds, allowedUserIds }: AccessSettings) {
  return { statusOf, roleOf, openTo }

  function statusOf(user: AccessFacts): AccessStatus {
    if (roleOf(user) !== undefined) return 'insider'
    if (user.admission === 'blocked') return 'blocked'
    const isListed = allowedUserIds === 'everybody' || allowedUserIds.has(Number(user.id))
    return isListed || user.admission === 'allowed' ? 'insider' : 'outsider'
  }

  function roleOf({ id, admission, role }: AccessFacts): UserRole | undefined {
    const userId = Number(id)
    if (adminIds.has(userId)) return 'admin'
    if (admission === 'blocked') return undefined
    return role ?? (viewerIds.has(userId) ? 'viewer' : undefined)
  }

  function openTo(): OpenTo {
    if (allowedUserIds === 'everybody') return allowedUserIds
    return allowedUserIds.size === 0 ? 'admins' : 'listed'
  }
}

export type Access = ReturnType<typeof createAccess>
