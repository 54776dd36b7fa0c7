import type { Logger } from 'pino'
import type { ServiceClient } from '../contract/client/service-client.ts'
import { hasCode } from '../contract/client/service-error.ts'
import { type Clock, systemClock } from '../platform/time/clock.ts'

export type ServiceProblem = 'unauthorized' | 'not_this_service' | 'service_unavailable'

const START_MS_MAX = 5_000
const TRY_MS_MAX = 30_000
const AGAIN_MS = 30_000

const SENTENCES: Readonly<Record<ServiceProblem, string>> = {
  unauthorized: 'the service refuses SERVICE_API_KEY',
  not_this_service: 'SERVICE_URL is no service with this interface',
  service_unavailable: 'SERVICE_URL does not answer',
}

interface TrialContext {
  ask: (signal: AbortSignal) => Promise<ServiceProblem | undefined>
  alertAdmins: (problem: ServiceProblem) => void
  onAnswering: () => void
  log: Pick<Logger, 'info' | 'error'>
  clock?: Pick<Clock, 'sleep'>
}

/** Tries a remote service at the start, and again every 30 s until it answers as the interface has it. */
export function createServiceTrial(context: TrialContext) {
  const { ask, alertAdmins, onAnswering, log, clock = systemClock } = context
  const stopping = new AbortController()
  const { signal } = stopping
  let problem: ServiceProblem | undefined
  let trying: Promise<void> | undefined
  return { begin, findReason, stop }

  /** Returns the problem of the first try in words. */
  async function begin(): Promise<string | undefined> {
    problem = await ask(AbortSignal.any([signal, AbortSignal.timeout(START_MS_MAX)]))
    if (problem === undefined) return undefined
    log.error({ problem }, SENTENCES[problem])
    // A service that starts beside this process may be there at the next try.
    if (problem !== 'service_unavailable') alertAdmins(problem)
    trying = keepTrying()
    return SENTENCES[problem]
  }

  /** Returns the words of `/healthz`. A service that is away has another reason there. */
  function findReason(): string | undefined {
    return problem && problem !== 'service_unavailable' ? SENTENCES[problem] : undefined
  }

  async function stop(): Promise<void> {
    stopping.abort()
    await trying
  }

  async function keepTrying(): Promise<void> {
    while (problem !== undefined) {
      // `stop()` aborts the wait, which is no error.
      await clock.sleep(AGAIN_MS, signal).catch(() => {})
      if (!signal.aborted)
        problem = await ask(AbortSignal.any([signal, AbortSignal.timeout(TRY_MS_MAX)]))
      if (signal.aborted) return
      if (problem !== undefined) alertAdmins(problem)
    }
    log.info('the service answers')
    onAnswering()
  }
}

/** Asks a remote service for its models, or else its balance. @returns Its problem, if it has one. */
export async function tryService(
  client: Pick<ServiceClient, 'models' | 'balance'>,
  signal: AbortSignal,
): Promise<ServiceProblem | undefined> {
  try {
    await client.models({ signal })
    return undefined
  } catch (error) {
    if (hasCode(error, 'unauthorized', 'insufficient_balance')) return 'unauthorized'
    const isHere = hasCode(error, 'not_this_service', 'invalid_request', 'unexpected_answer')
    if (!isHere) return 'service_unavailable'
  }
  // The interface does not show where models stand; it shows the balance.
  return await client.balance({ signal }).then(
    () => undefined,
    () => 'not_this_service' as const,
  )
}
