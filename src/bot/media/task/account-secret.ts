import type { Logger } from 'pino'
import type { ServiceClient } from '../../../contract/client/service-client.ts'
import type { Clock } from '../../../platform/time/clock.ts'
import { errorFacts } from '../../telegram/error-facts.ts'

/** The service takes ten questions a minute, of all processes together. */
const UNKNOWN_INTERVAL_MS = 20_000
const MISMATCH_INTERVAL_MS = 60_000
/** A service waits 10 s for the answer to its callback. */
const ANSWER_MS_MAX = 5_000

export interface AccountSecretDeps {
  service: Pick<ServiceClient, 'callbackSecret'>
  clock: Pick<Clock, 'now'>
  log: Logger
}

/**
 * The account's secret for callbacks: asked for with the first one, and kept in memory. It is permanent, but
 * the key may be another account's by now: where it does not fit, it is asked for again, once a minute.
 */
export function createAccountSecret({ service, clock, log }: AccountSecretDeps) {
  let secret: string | undefined
  let askedAt = Number.NEGATIVE_INFINITY
  let asking: Promise<void> | undefined
  return { fits }

  async function fits(check: (secret: string) => boolean): Promise<boolean | undefined> {
    if (secret === undefined) await ask(UNKNOWN_INTERVAL_MS)
    if (secret === undefined) return undefined
    if (check(secret)) return true
    const tried = secret
    await ask(MISMATCH_INTERVAL_MS)
    return secret !== tried && check(secret)
  }

  /** Several callbacks at once ask one question. */
  async function ask(intervalMs: number): Promise<void> {
    if (asking === undefined && clock.now() - askedAt >= intervalMs) {
      askedAt = clock.now()
      asking = read().finally(() => {
        asking = undefined
      })
    }
    await asking
  }

  async function read(): Promise<void> {
    try {
      secret = await service.callbackSecret({ signal: AbortSignal.timeout(ANSWER_MS_MAX) })
    } catch (error) {
      log.warn(errorFacts(error), 'the service does not give the secret of its callbacks')
    }
  }
}

export type AccountSecret = ReturnType<typeof createAccountSecret>
