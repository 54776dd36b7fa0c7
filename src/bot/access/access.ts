export interface Access {
  /** Whether the user may talk to the bot. */
  isAllowed(userId: number): boolean
  isAdmin(userId: number): boolean
}

/** Admins are always allowed; with nobody listed as allowed everybody is. */
export function createAccess({
  adminIds,
  allowedUserIds,
}: {
  adminIds: ReadonlySet<number>
  allowedUserIds: ReadonlySet<number>
}): Access {
  const isAdmin = (userId: number) => adminIds.has(userId)
  return {
    isAdmin,
    isAllowed: (userId) =>
      allowedUserIds.size === 0 || allowedUserIds.has(userId) || isAdmin(userId),
  }
}
