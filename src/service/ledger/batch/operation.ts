import type { DebitFacts } from '../debit.ts'
import type { Sql } from '../sql.ts'

/** Does operations together with those that come at the same time (lane.ts). */
export interface Lane {
  /** @throws What the operation throws alone. */
  run<Told extends keyof OperationOutcome>(
    operation: Operation<Told>,
  ): Promise<Pick<OperationOutcome, Told>>
}

/** Where operations of the ledger go: together with others where there is a lane, else by themselves. */
export type LedgerSql = Sql & { readonly lane?: Lane | undefined }

/** One change of the ledger, as a statement of its own and as a part of a batch. */
export interface Operation<Told extends keyof OperationOutcome> {
  /** What it begins, marks or ends: a batch has one operation of each subject. */
  subject: string
  /** What the batch's statement reads of it (run-batch.ts). */
  row: OperationRow
  /** Does it by itself. What it tells is what the batch would. */
  alone(): Promise<Pick<OperationOutcome, Told>>
}

/** What an operation came to. Who asked says why it did not. */
export interface OperationOutcome extends DebitFacts {
  /** Whether the hold or the task is there, or the open hold was marked or ended. */
  isDone: boolean
  /** What an end has taken besides, below 0 what it gave back; null where it did nothing. */
  taken: string | null
  /** The task that was made. */
  taskId: number | null
}

export type OperationRow = HoldRow | TaskRow | FirstOutputRow | EndRow

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
  completion_price: string
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

export interface EndRow {
  kind: 'end'
  request_id: string
  end_state: 'settled' | 'released' | 'kept'
  /** What is written about it; nothing where no money moves. */
  entry_kind?: 'settlement' | 'release'
  /** What was held, where nothing is said. */
  cost?: string
  prompt_tokens?: number
  completion_tokens?: number
  upstream?: string | undefined
}

/** Does an operation, with those that come at the same time where the ledger has a lane. */
export function run<Told extends keyof OperationOutcome>(
  { lane }: LedgerSql,
  operation: Operation<Told>,
): Promise<Pick<OperationOutcome, Told>> {
  return lane === undefined ? operation.alone() : lane.run(operation)
}
