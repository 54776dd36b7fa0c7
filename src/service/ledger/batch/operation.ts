import type { DebitFacts } from '../debit.ts'
import type { Sql } from '../sql.ts'

/** Does operations together with those that come at the same time (lane.ts). */
export interface Lane {
  run(operation: Operation): Promise<OperationOutcome>
}

/** The database of the ledger: with a lane its operations share statements, without one each has its own. */
export type LedgerSql = Sql & { readonly lane?: Lane | undefined }

/** One change of the ledger. */
export interface Operation {
  /** The request or task that it begins, marks or ends: a batch has one operation of each subject. */
  subject: string
  row: OperationRow
}

/** The outcome of an operation. Its caller explains a refusal. */
export interface OperationOutcome extends DebitFacts {
  /** True if it has made the hold or the task, marked or ended an open hold, or failed a task. */
  isDone: boolean
  requestId: string | null
  endState: EndRow['end_state'] | null
  accountId: number | null
  /** Money that has left the account, below 0 what it got back; null where it did nothing. */
  taken: string | null
  held: string | null
  taskId: number | null
  label: string | null
}

export type OperationRow = HoldRow | TaskRow | FirstOutputRow | EndRow | TaskFailureRow

interface DebitRow {
  account_id: number
  key_id: string
  model: string
  /** Amounts are digits: JSON has no whole numbers of this size. */
  amount: string
  route: string
  requests_max: number
  window_ms: number
}

interface HoldRow extends DebitRow {
  kind: 'hold'
  entry_kind: 'hold'
  request_id: string
  lease_owner: number
  prompt_price: string
  cached_prompt_price: string | undefined
  cache_write_price: string | undefined
  completion_price: string
  reasoning_price: string | undefined
  price_tiers: readonly object[] | undefined
  usd_price: string | undefined
  idempotency_key: string | undefined
  request_hash: string | undefined
}

interface TaskRow extends DebitRow {
  kind: 'task'
  entry_kind: 'charge'
  endpoint: string
  params: object
  label: string
  idempotency_key: string | undefined
  callback_url: string | undefined
}

interface FirstOutputRow {
  kind: 'first_output'
  request_id: string
  upstream: string | undefined
}

/**
 * Why a hold ended as it did.
 *
 * `usage`: charged by the usage that the provider reported. `counted`: it reported none, the tokens were counted here.
 * `disbelieved`: its usage cannot be true, the hold was charged. `broken`: the answer broke off after its first output.
 * `left`: the client left. `failed`: there was no answer. `withdrawn`: refused, since nobody knew whether the hold had
 * been taken; or taken over, and its idempotency key is another request's now. `taken_over`: its process ended before it did.
 */
export type EndReason =
  | 'usage'
  | 'counted'
  | 'disbelieved'
  | 'broken'
  | 'left'
  | 'failed'
  | 'withdrawn'
  | 'taken_over'

export interface EndRow {
  kind: 'end'
  request_id: string
  end_state: 'settled' | 'released' | 'kept'
  entry_kind?: 'settlement' | 'release'
  end_reason: EndReason
  /** Default: the amount of the hold. */
  cost?: string
  upstream_cost?: string | undefined
  reported_cost?: string | undefined
  prompt_tokens?: number
  cached_prompt_tokens?: number | undefined
  cache_write_tokens?: number | undefined
  completion_tokens?: number
  reasoning_tokens?: number | undefined
  upstream?: string | undefined
  /** In base64: text of JSON cannot have every character. */
  answer?: string | undefined
}

interface TaskFailureRow {
  kind: 'task_failure'
  entry_kind: 'refund'
  task_id: number
  lease_owner: number
  error_code: number
  error_message: string
}
