import type { ServiceErrorCode } from '../../client/errors.ts'

/** What admins are told of, since nobody else can mend it. */
export type Trouble = Extract<
  ServiceErrorCode,
  'insufficient_balance' | 'unauthorized' | 'service_unavailable'
>

/** A key or a service that is away for a moment is nobody's business. */
const LASTING_MS = 60_000

/**
 * Decides which troubles admins are to be told of: an empty account at once, a refused key or a
 * service that is away when for more than a minute nothing else was heard.
 */
export function createServiceTroubles() {
  let lasting: { trouble: Trouble; since: number } | undefined
  return { hear }

  /**
   * Takes the outcome of one request.
   *
   * @param code Missing where it went well.
   * @returns The trouble to tell of, unless it was told lately.
   */
  function hear(code: string | undefined, now: number): Trouble | undefined {
    const trouble = toTrouble(code)
    if (trouble === undefined || trouble !== lasting?.trouble) {
      lasting = trouble && { trouble, since: now }
    }
    if (trouble === undefined || lasting === undefined) return undefined
    const isLasting = trouble === 'insufficient_balance' || now - lasting.since > LASTING_MS
    return isLasting ? trouble : undefined
  }
}

function toTrouble(code: string | undefined): Trouble | undefined {
  switch (code) {
    case 'insufficient_balance':
    case 'unauthorized':
    case 'service_unavailable':
      return code
    default:
      return undefined
  }
}
