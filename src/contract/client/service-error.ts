/** Why a call failed. Nothing was charged, except where a code says otherwise. */
export type ServiceErrorCode =
  /** The API key is missing, wrong or revoked, or its account is frozen. */
  | 'unauthorized'
  | 'insufficient_balance'
  | 'invalid_request'
  | 'task_not_found'
  /** Too many requests; the next slot is further away than the client may wait. */
  | 'rate_limited'
  /** The service's provider refused. The service refunds the estimate. */
  | 'provider_rejected'
  | 'context_length_exceeded'
  /** The service answered 503 (or any 5xx to a GET), or no connection to it came about (no `status`). */
  | 'service_unavailable'
  /** Every request for the model fails until the service's operator corrects its configuration. */
  | 'model_misconfigured'
  /** The server lacks a path that every service with this interface has. */
  | 'not_this_service'
  /** A stream ended before its final chunk. The estimate stays charged; the true cost is unknown. */
  | 'stream_broken'
  /** A POST was sent and may have been carried out and charged. The client never repeats it. */
  | 'outcome_unknown'
  /** No reader understands the answer. A POST with a 2xx `status` was carried out and charged. */
  | 'unexpected_answer'

interface RefusalFacts extends ErrorOptions {
  status?: number | undefined
  detail?: string | undefined
  retryAfterMs?: number | undefined
}

export class ServiceError extends Error {
  override readonly name = 'ServiceError'
  readonly code: ServiceErrorCode
  readonly status: number | undefined
  readonly retryAfterMs: number | undefined
  readonly #detail: string | undefined

  constructor(code: ServiceErrorCode, message: string, facts: RefusalFacts = {}) {
    super(message, facts)
    this.code = code
    this.status = facts.status
    this.retryAfterMs = facts.retryAfterMs
    this.#detail = facts.detail
  }

  /** May quote the request. A getter, because serializers copy an error's own fields into logs. */
  get detail(): string | undefined {
    return this.#detail
  }
}

export function hasCode<Code extends ServiceErrorCode>(
  error: unknown,
  ...codes: Code[]
): error is ServiceError & { code: Code } {
  return error instanceof ServiceError && codes.some((code) => code === error.code)
}
