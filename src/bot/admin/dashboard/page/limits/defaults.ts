/** Whose limit is the default of all users. */
export const USER_DEFAULT = 0

/** Whose limit is the default of all groups. */
export const GROUP_DEFAULT = -1

/** Whether a limit is a default, which has none above it. */
export function isDefault(subjectId: number): boolean {
  return subjectId === USER_DEFAULT || subjectId === GROUP_DEFAULT
}
