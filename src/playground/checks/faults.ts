import { ApiError, badRequest, conflict, refusal, tooManyRequests } from '../wire/envelope.ts'

/**
 * A way in which a call goes wrong. `dropBefore` cuts the connection before the call is carried out, `dropAfter`
 * afterwards: the message is there, its answer is lost. `hold` waits for `release()` before the call
 * is carried out, `holdAfter` with the answer in hand.
 *
 * `noRich` makes the server one from before rich messages: it does not know their methods and passes
 * over `rich_message` in edits. It lasts until `end()` unless `times` says otherwise. `refuseRich`
 * answers calls that carry a rich message with a 400, `refuse` any call with the error named.
 */
type FaultKind =
  | { kind: '429'; retryAfter: number; withoutParameters?: boolean }
  | { kind: '500' | 'html' | 'restart' | 'conflict' | 'unauthorized' }
  | { kind: 'dropBefore' | 'dropAfter' | 'hold' | 'holdAfter' }
  | { kind: 'slow'; delayMs: number }
  | { kind: 'noRich' }
  /** Its description comes with or without the prefix, such as `RICH_MESSAGE_URL_INVALID`. */
  | { kind: 'refuseRich'; description: string }
  | { kind: 'refuse'; status: number; description: string }

export type Fault = FaultKind & {
  method?: string
  /** How many calls it hits: 1 by default, Infinity until `end()`. */
  times?: number
  when?: (params: Readonly<Record<string, string>>) => boolean
}

/** A fault that is set. */
export interface SetFault {
  readonly hits: number
  /** Lets held calls go on, and later ones pass without a wait. */
  release: () => void
  end: () => void
}

export interface ActiveFault extends SetFault {
  fault: Fault
  hits: number
  released: Promise<void>
}

/**
 * Faults in the order in which they were set; the first that fits a call is the one it meets.
 *
 * @param closing Releases every held call.
 */
export function createFaults({ closing }: { closing: AbortSignal }) {
  const active: ActiveFault[] = []
  return { set, meet }

  function set(fault: Fault): SetFault {
    const { promise: released, resolve: release } = Promise.withResolvers<void>()
    const entry: ActiveFault = { fault, hits: 0, released, release, end: () => remove(entry) }
    active.push(entry)
    closing.addEventListener('abort', () => release(), { once: true })
    return entry
  }

  function meet(method: string, params: Readonly<Record<string, string>>): ActiveFault | undefined {
    const entry = active.find(({ fault }) => {
      const isMethod = !fault.method || fault.method.toLowerCase() === method.toLowerCase()
      return isMethod && concerns(fault, method, params) && (fault.when?.(params) ?? true)
    })
    if (entry === undefined) return undefined
    entry.hits++
    const { kind, times = kind === 'noRich' ? Number.POSITIVE_INFINITY : 1 } = entry.fault
    if (entry.hits >= times) remove(entry)
    return entry
  }

  function remove(entry: ActiveFault): void {
    const index = active.indexOf(entry)
    if (index >= 0) active.splice(index, 1)
  }
}

function concerns({ kind }: Fault, method: string, params: Readonly<Record<string, string>>) {
  if (kind !== 'noRich' && kind !== 'refuseRich') return true
  return isRichMethod(method) || params.rich_message !== undefined
}

export function isRichMethod(method: string): boolean {
  return /^sendRichMessage$/i.test(method)
}

/** The refusal that a fault answers with; `undefined` for faults that are none. */
export function toApiError(fault: Fault): ApiError | undefined {
  switch (fault.kind) {
    case '429': {
      const error = tooManyRequests(fault.retryAfter)
      return fault.withoutParameters ? new ApiError(429, error.message) : error
    }
    case '500':
      return refusal(500, 'Internal Server Error')
    case 'restart':
      return refusal(500, 'restart')
    case 'conflict':
      return conflict()
    case 'unauthorized':
      return refusal(401, 'Unauthorized')
    case 'refuseRich':
      return badRequest(fault.description)
    case 'refuse':
      return refusal(fault.status, fault.description)
    default:
      return undefined
  }
}
