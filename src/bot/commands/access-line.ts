import type { Access, AccessFacts } from '../people/access/access.ts'
import { nameUser } from '../people/users.ts'
import type { Command } from './command.ts'

/** The users that a list of them shows: 100 lines would be no answer to read in a chat. */
export const USERS_SHOWN_MAX = 30

/** Names a user with their role, or else whether they have access. */
export function accessLine(
  user: AccessFacts & Parameters<typeof nameUser>[0],
  { statusOf, roleOf }: Pick<Access, 'statusOf' | 'roleOf'>,
  t: Command['t'],
): string {
  const state = statusOf(user) === 'insider' ? 'in' : (user.admission ?? 'out')
  const id = String(user.id)
  return t('access-line', { name: nameUser(user), id, state: roleOf(user) ?? state })
}
