/** The subject of the limit that is the default of all users. */
export const USER_DEFAULT = 0

/** The subject of the limit that is the default of all groups. */
export const GROUP_DEFAULT = -1

/** The subject of the limit for everybody together. */
export const EVERYBODY = -2

/** Checks whether a limit is a default, which has none above it. */
export function isDefault(subjectId: number): boolean {
  return subjectId === USER_DEFAULT || subjectId === GROUP_DEFAULT
}
