import type { Admission } from '../../database/generated/enums.ts'

/** An outsider may ask to be let in, whoever is blocked hears nothing. */
export type QueuePosition = 'insider' | 'outsider' | 'blocked'

export interface Access {
  isAdmin(userId: number): boolean
  /** @param user.admission What admins decided about the user, if they did. */
  standingOf(user: { id: number | bigint; admission: Admission | null }): QueuePosition
}

/**
 * Who may talk to the bot: admins always; of the others nobody who is blocked, and whoever is listed
 * or was let in. With nobody listed everybody else is welcome.
 */
export function createAccess({
  adminIds,
  allowedUserIds,
}: {
  adminIds: ReadonlySet<number>
  allowedUserIds: ReadonlySet<number>
}): Access {
  return { isAdmin: (userId) => adminIds.has(userId), standingOf }

  function standingOf({ id, admission }: Parameters<Access['standingOf']>[0]): QueuePosition {
    const userId = Number(id)
    if (adminIds.has(userId)) return 'insider'
    if (admission === 'blocked') return 'blocked'
    const isListed = allowedUserIds.size === 0 || allowedUserIds.has(userId)
    return isListed || admission === 'allowed' ? 'insider' : 'outsider'
  }
}
