import type { Admission, UserRole } from '../../platform/database/generated/enums.ts'

/** An outsider may ask to be let in; a blocked user hears nothing. */
export type AccessStatus = 'insider' | 'outsider' | 'blocked'

export interface AccessSettings {
  /** They stay admins, also where the database says otherwise. */
  adminIds: ReadonlySet<number>
  viewerIds: ReadonlySet<number>
  allowedUserIds: ReadonlySet<number> | 'everybody'
}

/** The users to whom a bot is open before any admin decided anything; others may ask. */
export type OpenTo = 'everybody' | 'listed' | 'admins'

/** The decisions of admins about a user, as far as there are any. */
export interface AccessFacts {
  id: number | bigint
  admission: Admission | null
  role: UserRole | null
}

/**
 * Decides who may talk to the bot: always those with a role; of the other users those who are listed or were let in,
 * and none who is blocked.
 */
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
