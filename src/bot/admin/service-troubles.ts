import type { ServiceErrorCode } from '../../contract/client/service-error.ts'

/** A trouble that only admins can mend, as the outcomes of requests show it. */
export type RequestTrouble = Extract<
  ServiceErrorCode,
  | 'insufficient_balance'
  | 'unauthorized'
  | 'service_unavailable'
  | 'model_misconfigured'
  | 'not_this_service'
>

/** A provider that refuses all requests of a service in the same process, for a reason that its admins can mend. */
export interface ProviderRefusal {
  /** The model, or else the creation endpoint, that it was asked for; neither: it was asked which models it has. */
  model?: string
  endpoint?: string
  upstream: string
  failure: {
    kind: string
    status?: number | undefined
    /** Its own words in one line. They quote no key and no user. */
    explanation?: string | undefined
  }
  workedAt: Date
}

/** A model of an upstream whose new price is not taken. Prices are dollars per 1 million tokens of input and output. */
export interface KeptPrice {
  model: string
  upstream: string
  old: string
  /** Undefined if there is no valid one. */
  next: string | undefined
}

/** A model whose charges of a day are not what its provider reports. */
export interface CostDifference {
  pricedModel: string
  chargedMicroRub: bigint
  reportedMicroRub: bigint
}

/**
 * Every trouble of which admins are notified. A service in the same process reports its own, the process what it finds
 * at the address of another one; the orders report what was paid for and did not arrive.
 */
export type Trouble =
  | RequestTrouble
  | 'service_is_openai'
  | 'storage_unavailable'
  | 'order_written_off'
  | ProviderRefusal
  | KeptPrice
  | CostDifference

/** A service that is away is not reported before. */
const LASTING_MS = 60_000

/**
 * Decides of which troubles admins are notified: what does not pass by itself at once, a service that is away when that
 * was the only outcome for more than a minute.
 */
export function createServiceTroubles() {
  let lasting: { trouble: RequestTrouble; since: number } | undefined
  return { observe }

  function observe(code: string | undefined, now: number): RequestTrouble | undefined {
    const trouble = toTrouble(code)
    if (trouble === undefined || trouble !== lasting?.trouble) {
      lasting = trouble && { trouble, since: now }
    }
    if (trouble === undefined || lasting === undefined) return undefined
    const isPassing = trouble === 'service_unavailable'
    return isPassing && now - lasting.since <= LASTING_MS ? undefined : trouble
  }
}

function toTrouble(code: string | undefined): RequestTrouble | undefined {
  switch (code) {
    case 'insufficient_balance':
    case 'unauthorized':
    case 'service_unavailable':
    case 'model_misconfigured':
    case 'not_this_service':
      return code
    default:
      return undefined
  }
}
