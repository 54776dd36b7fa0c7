import type { ServiceErrorCode } from '../../contract/client/errors.ts'

/** What only admins can mend, as the outcomes of requests tell it. */
export type RequestTrouble = Extract<
  ServiceErrorCode,
  'insufficient_balance' | 'unauthorized' | 'service_unavailable'
>

/** What a service in the same process tells of by itself. */
export type ServiceTrouble = 'storage_unavailable' | 'provider_refused'

/** What admins are told of. The orders tell of what was paid for and did not arrive. */
export type Trouble = RequestTrouble | ServiceTrouble | 'order_written_off'

/** A key or a service that is away for a shorter time is not told. */
const LASTING_MS = 60_000

/**
 * Decides which troubles admins are to be told of: an empty account at once, a refused key or a
 * service that is away when it was the only outcome for more than a minute.
 */
export function createServiceTroubles() {
  let lasting: { trouble: RequestTrouble; since: number } | undefined
  return { observe }

  /**
   * Takes the outcome of one request.
   *
   * @param code Missing where it went well.
   * @returns The trouble to tell of, unless it was told lately.
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
