import type { UserRole } from '../../platform/database/generated/enums.ts'

/** The audiences of commands and buttons: each one includes those after it. */
export const AUDIENCES = ['everybody', 'viewers', 'admins'] as const

export type Audience = (typeof AUDIENCES)[number]

/** Checks whether a user with this role, if any, belongs to an audience. */
export function isAmong(audience: Audience, role: UserRole | undefined): boolean {
  switch (audience) {
    case 'everybody':
      return true
    case 'viewers':
      return role !== undefined
    case 'admins':
      return role === 'admin'
  }
}
