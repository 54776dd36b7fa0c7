export interface LimitStanding {
  requestsMax: number
  requestsLeft: number
  /** The time until the whole limit is free again, without further requests. */
  resetMs: number
}

export type RefusalReason =
  | {
      code:
        | 'invalid_key'
        | 'account_frozen'
        | 'model_not_allowed'
        | 'idempotency_key_reused'
        | 'request_under_way'
    }
  | { code: 'balance_too_low'; neededMicroRub: bigint; availableMicroRub: bigint }
  | {
      code: 'spend_limit_reached'
      neededMicroRub: bigint
      limitMicroRub: bigint
      /** The rest of the limit, at least 0: a settlement may cost more than its hold, and limits are lowered. */
      leftMicroRub: bigint
    }
  /** `retryAfterMs` is 0 or less if the limit is free again. */
  | { code: 'rate_limit_reached'; retryAfterMs: number }
  /** The reference of a credit or debit names another one. */
  | {
      code: 'reference_reused'
      reference: string
      made: { accountId: number; amountMicroRub: bigint }
    }

/** The ledger refuses a request. Nothing was taken for it. */
export class RequestRefusedError extends Error {
  override readonly name = 'RequestRefusedError'
  readonly reason: RefusalReason
  readonly standing: LimitStanding | undefined

  constructor(reason: RefusalReason, standing?: LimitStanding) {
    super(`Request refused: ${reason.code}`)
    this.reason = reason
    this.standing = standing
  }
}
