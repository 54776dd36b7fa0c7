import type { Clock } from '../../../src/platform/time/clock.ts'
import type { BotSetup } from '../bot-setup.ts'
import type { OpenCompletion } from '../chat-service.ts'

const MINUTE_MS = 60_000

export interface LimitedService {
  taken: OpenCompletion[]
  refusals(): number
}

/**
 * Gives the setup's service a limit of so many requests in any minute, as the real one has it.
 *
 * @param answer Called with each request that is taken.
 */
export function limit(
  { service }: BotSetup,
  {
    perMinute,
    clock,
    answer,
  }: { perMinute: number; clock: Clock; answer: (completion: OpenCompletion) => void },
): LimitedService {
  const taken: OpenCompletion[] = []
  const instants: number[] = []
  let refusals = 0
  service.onCompletion((completion) => {
    const blocking = instants.at(-perMinute)
    const waitMs = blocking === undefined ? 0 : blocking + MINUTE_MS - clock.now()
    if (waitMs > 0) {
      refusals++
      const headers = { 'retry-after': String(Math.ceil(waitMs / 1000)) }
      completion.refuse(429, { detail: 'slow down' }, headers)
      return
    }
    instants.push(clock.now())
    taken.push(completion)
    answer(completion)
  })
  return { taken, refusals: () => refusals }
}
