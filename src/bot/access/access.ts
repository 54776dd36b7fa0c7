import type { Admission } from '../../database/generated/enums.ts'

/** An outsider may ask to be let in; a blocked user hears nothing. */
export type AccessStatus = 'insider' | 'outsider' | 'blocked'

/**
 * Who may talk to the bot: admins always; of the other users those who are listed or were let in,
 * and none who is blocked. An empty list welcomes everybody else.
 */
export function createAccess({
  adminIds,
  allowedUserIds,
}: {
  adminIds: ReadonlySet<number>
  allowedUserIds: ReadonlySet<number>
}) {
  return { isAdmin: (userId: number) => adminIds.has(userId), statusOf }

  /** @param user.admission What admins decided about the user, if they did. */
  function statusOf(user: { id: number | bigint; admission: Admission | null }): AccessStatus {
    const { admission } = user
    const userId = Number(user.id)
    if (adminIds.has(userId)) return 'insider'
    if (admission === 'blocked') return 'blocked'
    const isListed = allowedUserIds.size === 0 || allowedUserIds.has(userId)
    return isListed || admission === 'allowed' ? 'insider' : 'outsider'
  }
}

export type Access = ReturnType<typeof createAccess>
