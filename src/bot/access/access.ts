import type { Admission, UserRole } from '../../database/generated/enums.ts'

/** An outsider may ask to be let in; a blocked user hears nothing. */
export type AccessStatus = 'insider' | 'outsider' | 'blocked'

export interface AccessSettings {
  /** They stay admins, whatever the database says. */
  adminIds: ReadonlySet<number>
  viewerIds: ReadonlySet<number>
  /** An empty list welcomes everybody. */
  allowedUserIds: ReadonlySet<number>
}

/** What admins decided about a user, as far as they did. */
export interface AccessFacts {
  id: number | bigint
  admission: Admission | null
  role: UserRole | null
}

/**
 * Who may talk to the bot: who has a role always; of the other users those who are listed or were let in,
 * and none who is blocked. An empty list welcomes everybody else.
 */
export function createAccess({ adminIds, viewerIds, allowedUserIds }: AccessSettings) {
  return { statusOf, roleOf }

  function statusOf(user: AccessFacts): AccessStatus {
    if (roleOf(user) !== undefined) return 'insider'
    if (user.admission === 'blocked') return 'blocked'
    const isListed = allowedUserIds.size === 0 || allowedUserIds.has(Number(user.id))
    return isListed || user.admission === 'allowed' ? 'insider' : 'outsider'
  }

  /** The higher one of what the settings and what the admins gave. Who is blocked has none. */
  function roleOf({ id, admission, role }: AccessFacts): UserRole | undefined {
    const userId = Number(id)
    if (adminIds.has(userId)) return 'admin'
    if (admission === 'blocked') return undefined
    return role ?? (viewerIds.has(userId) ? 'viewer' : undefined)
  }
}

export type Access = ReturnType<typeof createAccess>
