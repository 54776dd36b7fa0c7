import type { Logger } from 'pino'
import { errorFacts } from '../error-facts.ts'
import type { Clock } from './clock.ts'

const FRESH_MS = 5000

/** The living processes that share the bot's token, this one included. */
export interface Peers {
  /** As they were counted last, a few seconds ago as long as anybody asks. 1 before that. */
  count(): number
}

/** Counts anew, beside the call, whenever somebody asks and the last count is old. */
export function createPeers({
  count,
  clock,
  log,
}: {
  count: () => Promise<number>
  clock: Clock
  log: Logger
}): Peers {
  let known = 1
  let freshUntil = Number.NEGATIVE_INFINITY
  return {
    count: () => {
      if (freshUntil <= clock.now()) {
        freshUntil = clock.now() + FRESH_MS
        void refresh()
      }
      return known
    },
  }

  async function refresh(): Promise<void> {
    try {
      known = Math.max(1, await count())
    } catch (error) {
      // The last count serves until the database is back.
      log.debug(errorFacts(error), 'instances not counted')
    }
  }
}
