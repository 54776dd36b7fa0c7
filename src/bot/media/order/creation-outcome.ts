import {
  InsufficientBalanceError,
  InvalidRequestError,
  OutcomeUnknownError,
  ProviderRejectedError,
  RateLimitedError,
  ServiceUnavailableError,
  UnauthorizedError,
  UnexpectedAnswerError,
} from '../../../client/errors.ts'
import { type OrderFailure, refused } from './order-failure.ts'

/** What a creation that gave no task means for its order. */
export type CreationOutcome =
  | { type: 'refused'; failure: OrderFailure }
  /** The service takes no order now, this one or any other. */
  | { type: 'busy'; retryAfterMs: number }
  /** The same, and it may be so for longer. */
  | { type: 'unavailable'; retryAfterMs: number }
  /** There may be a task. */
  | { type: 'unknown' }

/** A minute's limit is free again by then. */
const BUSY_MS = 20_000
/** After so long a service that is away is asked again. */
export const UNAVAILABLE_MS = 5_000

/** @throws The error itself if it is not one of the client's. */
export function judgeCreation(error: unknown): CreationOutcome {
  if (error instanceof RateLimitedError) {
    return { type: 'busy', retryAfterMs: error.retryAfterMs ?? BUSY_MS }
  }
  if (error instanceof ServiceUnavailableError) {
    return { type: 'unavailable', retryAfterMs: error.retryAfterMs ?? UNAVAILABLE_MS }
  }
  if (error instanceof UnauthorizedError) {
    return { type: 'unavailable', retryAfterMs: UNAVAILABLE_MS }
  }
  if (error instanceof InsufficientBalanceError) return { type: 'refused', failure: refused(402) }
  if (error instanceof InvalidRequestError) {
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
