import type { Doors } from '../../bot/people/access/admittance.ts'
import { describeDoors } from './describe-doors.ts'
import { describeFirstAccount } from './describe-first-account.ts'
import { describePlaces, describeRoles, type Places } from './describe-places.ts'
import { describePlayground } from './describe-playground.ts'

/** What is known of a process that has started. */
export interface Started extends Omit<Places, 'username'> {
  /** Where the bot runs: who may talk to it. */
  doors?: (Doors & { username: string }) | undefined
  /** What stands in for Telegram, if there is no token, and the host where it listens. */
  playground?: { root: string; host: string } | undefined
  /** A model that the service sells, if it runs and there is no account but the bot's own. */
  firstModel?: string | undefined
}

/**
 * All that a start says beside the log, in one piece: on a terminal what runs where, and on every start what is left
 * to be done by hand. With a playground one address, where everything can be tried.
 *
 * It is for the eyes of who started the process. It may hold the code that makes the first admin, so it must reach no
 * other log.
 */
export function describeStart(
  { doors, playground, firstModel, ...places }: Started,
  { isTerminal }: { isTerminal: boolean },
): string {
  const { roles, address, dataDir } = places
  const parts = playground
    ? [
        isTerminal && describeRoles(roles),
        isRestricted(doors) && describeDoors(doors, { isReal: false }),
        describePlayground(playground),
      ]
    : [
        isTerminal && describePlaces({ ...places, username: doors?.username }),
        doors && describeDoors(doors, { isReal: true }),
        firstModel !== undefined && describeFirstAccount({ address, dataDir, model: firstModel }),
      ]
  return parts
    .filter((part) => typeof part === 'string')
    .map((part) => `\n${part}\n`)
    .join('')
}

/** Otherwise a playground is open, and has an admin. */
function isRestricted(doors: Started['doors']): doors is NonNullable<Started['doors']> {
  return doors !== undefined && (doors.openTo !== 'everybody' || doors.adminCode !== undefined)
}
