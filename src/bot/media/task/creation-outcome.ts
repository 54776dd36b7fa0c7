import {
  InsufficientBalanceError,
  InvalidRequestError,
  OutcomeUnknownError,
  ProviderRejectedError,
  RateLimitedError,
  ServiceUnavailableError,
  UnauthorizedError,
  UnexpectedAnswerError,
} from '../../../contract/client/errors.ts'
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
  if (error instanceof RateLimitedError) {
    return { type: 'busy', retryAfterMs: error.retryAfterMs ?? BUSY_MS }
  }
  if (error instanceof ServiceUnavailableError || error instanceof UnauthorizedError) {
    return { type: 'away', retryAfterMs: error.retryAfterMs }
  }
  if (error instanceof InsufficientBalanceError) return { type: 'refused', failure: refused(402) }
  if (error instanceof InvalidRequestError) {
    if (error.status === 404) return { type: 'not_offered' }
    return { type: 'refused', failure: refused(422, error.detail) }
  }
  if (error instanceof ProviderRejectedError) return { type: 'refused', failure: refused(502) }
  if (error instanceof OutcomeUnknownError) return { type: 'unknown' }
  if (error instanceof UnexpectedAnswerError) {
    const isTaken = (error.status ?? 0) < 300
    return isTaken ? { type: 'unknown' } : { type: 'refused', failure: refused(502) }
  }
  throw error
}
