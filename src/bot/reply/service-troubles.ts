import type { ServiceErrorCode } from '../../client/errors.ts'

/** What admins are told of, since nobody else can mend it. */
export type Trouble = Extract<
  ServiceErrorCode,
  'insufficient_balance' | 'unauthorized' | 'service_unavailable'
>

/** A key or a service that is away for a moment is nobody's business. */
const LASTING_MS = 60_000
const TOLD_AGAIN_MS = 3600_000

/**
 * Decides when admins are to be told of a trouble: of an empty account at once, of a refused key or
 * a service that is away when for more than a minute nothing else was heard; of each once an hour.
 */
export function createServiceTroubles() {
  const toldAt = new Map<Trouble, number>()
  let lasting: { trouble: Trouble; since: number } | undefined
  return { hear }

  /**
   * Takes the outcome of one request.
   *
   * @param code Missing where it went well.
   * @returns The trouble to tell of now, if there is one.
   */
  function hear(code: string | undefined, now: number): Trouble | undefined {
    const trouble = toTrouble(code)
    if (trouble === undefined || trouble !== lasting?.trouble) {
      lasting = trouble && { trouble, since: now }
    }
    if (trouble === undefined || lasting === undefined) return undefined
    const isLasting = trouble === 'insufficient_balance' || now - lasting.since > LASTING_MS
    const isTold = now - (toldAt.get(trouble) ?? Number.NEGATIVE_INFINITY) < TOLD_AGAIN_MS
    if (!isLasting || isTold) return undefined
    toldAt.set(trouble, now)
    return trouble
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
