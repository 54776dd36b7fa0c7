import { debitSql, toDebitRefusal } from './debit.ts'
import { IdempotencyKeyReusedError } from './errors.ts'
import type { RateLimit } from './rate-limit.ts'
import type { Sql } from './sql.ts'

/** What a new task is charged for. */
export interface TaskCharge {
  accountId: number
  limit: RateLimit
  /** The creation endpoint's path below the version. */
  endpoint: string
  /** The checked body of the creation request. */
  params: object
  label: string
  /** >= 0. */
  priceMicroRub: bigint
  /** The caller's own name for this creation; none makes every call a new task. */
  idempotencyKey?: string | undefined
  /** Where the callback goes, already checked. A repeat does not change it. */
  callbackUrl?: string | undefined
}

/** Why a task failed, in words fit for its owner. */
export interface TaskFailure {
  code: number
  message: string
}

const IDEMPOTENCY_INDEX = 'task_account_id_idempotency_key_key'
const UNIQUE_VIOLATION = '23505'

// A repeat counts towards nothing.
const INSERT_CHARGED = `
  WITH ${debitSql(
    { accountId: '$1', amount: '$2', route: '$8', requestsMax: '$9', windowMs: '$10' },
    'NOT EXISTS (SELECT FROM service.task WHERE account_id = $1 AND idempotency_key = $6)',
  )}, task AS (
    INSERT INTO service.task
      (account_id, endpoint, params, label, price_micro_rub, idempotency_key, callback_url, files,
       due_at)
    SELECT id, $3, $4, $5, $2::bigint, $6, $7, '{}', now() FROM debit
    RETURNING id, account_id, price_micro_rub
  ), entry AS (
    INSERT INTO service.entry (account_id, kind, amount_micro_rub, task_id)
    SELECT account_id, 'charge', -price_micro_rub, id FROM task
  )
  SELECT (SELECT id FROM task) AS "taskId", (SELECT balance_micro_rub FROM payer) AS available,
         (SELECT pg_notify('service.task', '') FROM task)`

// What was asked for is kept with the task as it was checked: fields in another order, and fields that
// nobody knows, make no other request. PostgreSQL compares JSON by its meaning.
const FIND_FIRST = `
  SELECT id, endpoint = $3 AND params = $4::jsonb AS "isSame" FROM service.task
  WHERE account_id = $1 AND idempotency_key = $2`

/**
 * Creates a task that is due now and takes its price, both or neither, in one statement.
 *
 * Safe to repeat with an idempotency key: another call of the account with the same key and request, also
 * one that races, gives the first task, takes nothing and counts towards no limit.
 *
 * @returns The task's id.
 * @throws {IdempotencyKeyReusedError} If the key came with another body or endpoint. Nothing is taken.
 * @throws {RateLimitReachedError} If the account has made as many requests as it may. Nothing is taken.
 * @throws {BalanceTooLowError} If the balance is below the price. Nothing is taken.
 */
export async function chargeTask(sql: Sql, charge: TaskCharge): Promise<number> {
  const { taskId, available } = await insertCharged(sql, charge)
  if (taskId != null) return taskId
  const first = await findFirst(sql, charge)
  if (first?.isSame === false) throw new IdempotencyKeyReusedError()
  if (first !== undefined) return first.id
  throw await toDebitRefusal(sql, { ...charge, amountMicroRub: charge.priceMicroRub }, available)
}

interface Charged {
  taskId: number | null
  available: string | null
}

/** Gives no task where the limit is reached, the balance is too low or the idempotency key is taken. */
async function insertCharged(sql: Sql, charge: TaskCharge): Promise<Partial<Charged>> {
  try {
    const { rows } = await sql.query<Charged>(INSERT_CHARGED, [
      charge.accountId,
      charge.priceMicroRub,
      charge.endpoint,
      JSON.stringify(charge.params),
      charge.label,
      charge.idempotencyKey ?? null,
      charge.callbackUrl ?? null,
      charge.limit.route,
      charge.limit.requestsMax,
      charge.limit.windowMs,
    ])
    return rows[0] ?? {}
  } catch (error) {
    // A repeat of ours was there first: the whole statement is undone, with the price it took.
    const { code, constraint } = error as { code?: unknown; constraint?: unknown }
    if (code !== UNIQUE_VIOLATION || constraint !== IDEMPOTENCY_INDEX) throw error
    return {}
  }
}

async function findFirst(
  sql: Sql,
  { accountId, idempotencyKey, endpoint, params }: TaskCharge,
): Promise<{ id: number; isSame: boolean } | undefined> {
  if (idempotencyKey === undefined) return undefined
  const { rows } = await sql.query<{ id: number; isSame: boolean }>(FIND_FIRST, [
    ...[accountId, idempotencyKey, endpoint, JSON.stringify(params)],
  ])
  return rows[0]
}

/**
 * Ends a task as `fail` and gives its price back, in one statement: the refund happens exactly once.
 *
 * Only the lease owner may (`src/database/lease.ts`); a task that has ended stays as it is.
 *
 * @returns Whether this call ended the task.
 */
export async function failTask(
  sql: Sql,
  { taskId, leaseOwner }: { taskId: number; leaseOwner: number },
  { code, message }: TaskFailure,
): Promise<boolean> {
  const { rowCount } = await sql.query(
    `WITH failed AS (
       UPDATE service.task
       SET status = 'fail', error_code = $3, error_message = $4, ended_at = now(),
         due_at = NULL, lease_owner = NULL
       WHERE id = $1 AND lease_owner = $2 AND status NOT IN ('success', 'fail')
       RETURNING id, account_id, price_micro_rub
     ), refund AS (
       INSERT INTO service.entry (account_id, kind, amount_micro_rub, task_id)
       SELECT account_id, 'refund', price_micro_rub, id FROM failed
     ), repaid AS (
       UPDATE service.account SET balance_micro_rub = balance_micro_rub + failed.price_micro_rub
       FROM failed WHERE account.id = failed.account_id
     )
     SELECT id FROM failed`,
    [taskId, leaseOwner, code, message],
  )
  return rowCount === 1
}
