import type { ServiceErrorCode } from '../../contract/client/errors.ts'

/** A trouble that only admins can mend, as the outcomes of requests show it. */
export type RequestTrouble = Extract<
  ServiceErrorCode,
  'insufficient_balance' | 'unauthorized' | 'service_unavailable'
>

/** A trouble that a service in the same process reports by itself. */
export type ServiceTrouble = 'storage_unavailable' | 'provider_refused'

/** Every trouble of which admins are notified. The orders report what was paid for and did not arrive. */
export type Trouble = RequestTrouble | ServiceTrouble | 'order_written_off'

/** A refused key, or a service that is away, is not reported before. */
const LASTING_MS = 60_000

/**
 * Decides of which troubles admins are notified: an empty account at once, a refused key or a
 * service that is away when it was the only outcome for more than a minute.
 */
export function createServiceTroubles() {
  let lasting: { trouble: RequestTrouble; since: number } | undefined
  return { observe }

  /**
   * Takes the outcome of one request.
   *
   * @param code Missing where it went well.
   * @returns The trouble to report, if there is one.
   */
  function observe(code: string | undefined, now: number): RequestTrouble | undefined {
    const trouble = toTrouble(code)
    if (trouble === undefined || trouble !== lasting?.trouble) {
      lasting = trouble && { trouble, since: now }
    }
    if (trouble === undefined || lasting === undefined) return undefined
    const isLasting = trouble === 'insufficient_balance' || now - lasting.since > LASTING_MS
    return isLasting ? trouble : undefined
  }
}

function toTrouble(code: string | undefined): RequestTrouble | undefined {
  switch (code) {
    case 'insufficient_balance':
    case 'unauthorized':
    case 'service_unavailable':
      return code
    default:
      return undefined
  }
}
