export type ServiceErrorCode =
  | 'unauthorized'
  | 'insufficient_balance'
  | 'invalid_request'
  | 'task_not_found'
  | 'rate_limited'
  | 'provider_rejected'
  | 'context_length_exceeded'
  | 'service_unavailable'
  | 'model_misconfigured'
  | 'not_this_service'
  | 'stream_broken'
  | 'outcome_unknown'
  | 'unexpected_answer'

/** The service's words about its refusal. */
export interface RefusalFacts extends ErrorOptions {
  /** HTTP status; missing when no answer came. */
  status?: number | undefined
  /** The service's own words, cut to a bound and without the API key. May quote the request: not for a log. */
  detail?: string | undefined
  retryAfterMs?: number | undefined
}

/**
 * A call to the service that did not do what it was asked.
 *
 * Messages name the action and the state. The words of a person, a model or the service
 * are never part of them.
 */
export abstract class ServiceError extends Error {
  abstract readonly code: ServiceErrorCode
  override readonly name: string
  readonly status: number | undefined
  readonly retryAfterMs: number | undefined
  readonly #detail: string | undefined

  constructor(message: string, { status, detail, retryAfterMs, ...options }: RefusalFacts = {}) {
    super(message, options)
    this.name = new.target.name
    this.status = status
    this.retryAfterMs = retryAfterMs
    this.#detail = detail
  }

  /** A getter, so that a serializer that copies an error's own fields does not copy it into a log. */
  get detail(): string | undefined {
    return this.#detail
  }
}

/** The API key is missing, wrong or revoked, or its account is frozen. Nothing was charged. */
export class UnauthorizedError extends ServiceError {
  readonly code = 'unauthorized'
}

/** The account's balance does not cover the request. Nothing was charged. */
export class InsufficientBalanceError extends ServiceError {
  readonly code = 'insufficient_balance'
}

/** The service will not take this request, now or later. Nothing was charged. */
export class InvalidRequestError extends ServiceError {
  readonly code = 'invalid_request'
}

/** The account has no task with this id. */
export class TaskNotFoundError extends ServiceError {
  readonly code = 'task_not_found'
}

/** Too many requests, and the wait for the next slot is longer than the client may wait. Nothing was charged. */
export class RateLimitedError extends ServiceError {
  readonly code = 'rate_limited'
}

/** The service's provider refused. The service gives the estimate back. */
export class ProviderRejectedError extends ServiceError {
  readonly code = 'provider_rejected'
}

/** The messages are longer than the model can read. Nothing was charged. */
export class ContextLengthExceededError extends ServiceError {
  readonly code = 'context_length_exceeded'
}

/**
 * The service cannot do it now: it answered so (`status` is there), or it could not be reached.
 *
 * Nothing was charged: a POST ends here only if it was answered with 503 or was never sent.
 */
export class ServiceUnavailableError extends ServiceError {
  readonly code = 'service_unavailable'
}

/**
 * The model at the service is not set up right: every request for it is refused until the service's operator has
 * mended something. Nothing was charged.
 */
export class ModelMisconfiguredError extends ServiceError {
  readonly code = 'model_misconfigured'
}

/** The server has not even the paths that every service with this interface has: it is another one. Nothing was charged. */
export class NotThisServiceError extends ServiceError {
  readonly code = 'not_this_service'
}

/** A streamed completion ended before its final chunk. The service keeps the estimate; its true cost is not known. */
export class StreamBrokenError extends ServiceError {
  readonly code = 'stream_broken'
  readonly #text: string

  constructor(message: string, { text, ...facts }: RefusalFacts & { text: string }) {
    super(message, facts)
    this.#text = text
  }

  get text(): string {
    return this.#text
  }
}

/**
 * A POST was sent, and it is unknown whether it was carried out. It may have been charged.
 *
 * The client never repeats it. The balance shows it, or a repeat with the same idempotency key where the
 * service honours one.
 */
export class OutcomeUnknownError extends ServiceError {
  readonly code = 'outcome_unknown'
}

/**
 * The service answered something that no reader of its answers understands.
 *
 * After a POST with a 2xx `status` the work was done and charged, only its result could not be read.
 */
export class UnexpectedAnswerError extends ServiceError {
  readonly code = 'unexpected_answer'
}
