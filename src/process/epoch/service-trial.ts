import type { Logger } from 'pino'
import type { Trouble } from '../../bot/alerts/service-troubles.ts'
import { type Clock, systemClock } from '../../platform/time/clock.ts'
import type { RemoteTrouble, ServiceProblem } from './try-service.ts'

const START_MS_MAX = 5_000
const TRY_MS_MAX = 30_000
const AGAIN_MS = 30_000

const ALERTS: Readonly<Record<ServiceProblem, Trouble>> = {
  openai: 'service_is_openai',
  key: 'unauthorized',
  unreachable: 'service_unavailable',
  unavailable: 'service_unavailable',
  no_service: 'not_this_service',
}

/** What `/healthz` says. Of a service that is away its reach says so. */
const REASONS: Readonly<Partial<Record<ServiceProblem, string>>> = {
  openai: "SERVICE_URL speaks OpenAI's API",
  key: 'the service refuses SERVICE_API_KEY',
  no_service: 'SERVICE_URL is no service with this interface',
}

export interface ServiceTrialDeps {
  ask: (signal: AbortSignal) => Promise<RemoteTrouble | undefined>
  alertAdmins: (trouble: Trouble) => void
  onAnswering: () => void
  log: Pick<Logger, 'info' | 'error'>
  clock?: Pick<Clock, 'sleep'>
}

/** Tries a remote service at the start, and again from time to time until it answers as the interface has it. */
export function createServiceTrial({
  ask,
  alertAdmins,
  onAnswering,
  log,
  clock = systemClock,
}: ServiceTrialDeps) {
  const stopping = new AbortController()
  let trouble: RemoteTrouble | undefined
  let trying: Promise<void> | undefined
  return { begin, findReason, stop }

  async function begin(): Promise<RemoteTrouble | undefined> {
    const found = await tryFor(START_MS_MAX)
    trouble = found
    if (found === undefined || stopping.signal.aborted) return undefined
    log.error({ problem: found.problem }, found.sentence)
    // A service that starts beside this process may be there at the next try.
    if (REASONS[found.problem] !== undefined) alertAdmins(ALERTS[found.problem])
    trying = keepTrying()
    return found
  }

  async function stop(): Promise<void> {
    stopping.abort()
    await trying
  }

  function findReason(): string | undefined {
    return trouble && REASONS[trouble.problem]
  }

  async function keepTrying(): Promise<void> {
    while (trouble !== undefined) {
      // `stop()` aborts the wait, which is no error.
      await clock.sleep(AGAIN_MS, stopping.signal).catch(() => {})
      if (stopping.signal.aborted) return
      trouble = await tryFor(TRY_MS_MAX)
      if (stopping.signal.aborted) return
      // Admins hear of the same at most once an hour.
      if (trouble !== undefined) alertAdmins(ALERTS[trouble.problem])
    }
    log.info('the service answers')
    onAnswering()
  }

  function tryFor(ms: number): Promise<RemoteTrouble | undefined> {
    return ask(AbortSignal.any([stopping.signal, AbortSignal.timeout(ms)]))
  }
}
