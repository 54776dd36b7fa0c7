import { ServiceError } from '../../../contract/client/service-error.ts'
import { type OrderFailure, refused } from '../order/order-failure.ts'

/** The meaning for its order of a creation that gave no task. */
export type CreationOutcome =
  | { type: 'refused'; failure: OrderFailure }
  /** The service makes nothing of the kind. Nothing was charged. */
  | { type: 'not_offered' }
  /** The service takes no order now, this one or any other. */
  | { type: 'busy'; retryAfterMs: number }
  /** It is away, be it for this order alone. */
  | { type: 'away'; retryAfterMs: number | undefined }
  /** There may be a task. */
  | { type: 'unknown' }

/** A minute's limit is free again by then. */
const BUSY_MS = 20_000

/** @throws The error itself if it is not one of the client's. */
export function judgeCreation(error: unknown): CreationOutcome {
  if (!(error instanceof ServiceError)) throw error
  const { code, status = 0, detail, retryAfterMs } = error
  switch (code) {
    case 'rate_limited':
      return { type: 'busy', retryAfterMs: retryAfterMs ?? BUSY_MS }
    case 'service_unavailable':
    case 'unauthorized':
      return { type: 'away', retryAfterMs }
    case 'insufficient_balance':
      return { type: 'refused', failure: refused(402) }
    case 'invalid_request':
      if (status === 404) return { type: 'not_offered' }
      return { type: 'refused', failure: refused(422, detail) }
    case 'provider_rejected':
      return { type: 'refused', failure: refused(502) }
    case 'outcome_unknown':
      return { type: 'unknown' }
    case 'unexpected_answer':
      return status < 300 ? { type: 'unknown' } : { type: 'refused', failure: refused(502) }
    default:
      throw error
  }
}
