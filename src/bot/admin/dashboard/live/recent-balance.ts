import type { Clock } from '../../../../platform/time/clock.ts'
import type { ServiceBalance } from '../../../spend/check/service-balance.ts'

/** The service is asked at most so often, however many pages are open. */
const RECENT_MS = 10_000

/**
 * Makes what reads the service's balance as it was a moment ago.
 *
 * @returns Resolves with undefined where it cannot be read now: no other figure waits for it.
 */
export function createRecentBalance({
  balance,
  clock,
}: {
  balance: Pick<ServiceBalance, 'outlook'>
  clock: Pick<Clock, 'now'>
}): () => Promise<bigint | undefined> {
  let recent: { askedMs: number; microRub: Promise<bigint | undefined> } | undefined
  return () => {
    if (recent === undefined || clock.now() - recent.askedMs >= RECENT_MS) {
      const microRub = balance.outlook().then(
        (outlook) => outlook?.balanceMicroRub,
        () => undefined,
      )
      recent = { askedMs: clock.now(), microRub }
    }
    return recent.microRub
  }
}
