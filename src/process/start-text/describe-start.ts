import type { Doors } from '../../bot/access/open-doors.ts'
import { describeDoors } from './describe-doors.ts'
import { describeFirstAccount } from './describe-first-account.ts'
import { describePlaces, type Places } from './describe-places.ts'
import { describePlayground } from './describe-playground.ts'

/** What is known of a process that has started. */
export interface Started extends Omit<Places, 'username'> {
  /** Where the bot runs: who may talk to it. */
  doors?: (Doors & { username: string }) | undefined
  /** A model that the service sells, if it runs and there is no account but the bot's own. */
  firstModel?: string | undefined
}

/**
 * All that a start says beside the log, in one piece: on a terminal what runs where, and on every start what is left
 * to be done by hand.
 *
 * It is for the eyes of who started the process. It may hold the code that makes the first admin, so it must reach no
 * other log.
 */
export function describeStart(
  { doors, firstModel, ...places }: Started,
  { isTerminal }: { isTerminal: boolean },
): string {
  const { playgroundRoot, address, dataDir } = places
  return [
    isTerminal && describePlaces({ ...places, username: doors?.username }),
    playgroundRoot !== undefined && describePlayground(playgroundRoot),
    doors && describeDoors(doors, { isReal: playgroundRoot === undefined }),
    firstModel !== undefined && describeFirstAccount({ address, dataDir, model: firstModel }),
  ]
    .filter((part) => typeof part === 'string')
    .map((part) => `\n${part}\n`)
    .join('')
}
