import { BalanceTooLowError } from './errors.ts'
import { acceptSql, type RateLimit, toRateLimitReachedError } from './rate-limit.ts'
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
  taskId: number
  /** Who must have the task's lease (`src/database/lease.ts`). */
  leaseOwner: number
  code: number
  message: string
}

const IDEMPOTENCY_INDEX = 'task_account_id_idempotency_key_key'
const UNIQUE_VIOLATION = '23505'

// A request counts even if the balance does not reach, but no repeat does. The row lock comes before the
// price is taken, so what is available is what the price was compared with.
const INSERT_CHARGED = `
  WITH accepted AS (
    ${acceptSql(
      { accountId: '$1', route: '$8', requestsMax: '$9', windowMs: '$10' },
      'NOT EXISTS (SELECT FROM service.task WHERE account_id = $1 AND idempotency_key = $6)',
    )}
  ), payer AS (
    SELECT account.id, balance_micro_rub FROM service.account, accepted
    WHERE account.id = accepted.account_id FOR UPDATE OF account
  ), paid AS (
    UPDATE service.account SET balance_micro_rub = account.balance_micro_rub - $2::bigint
    FROM payer
    WHERE account.id = payer.id AND payer.balance_micro_rub >= $2::bigint
    RETURNING account.id
  ), task AS (
    INSERT INTO service.task
      (account_id, endpoint, params, label, price_micro_rub, idempotency_key, callback_url, files,
       due_at)
    SELECT id, $3, $4, $5, $2::bigint, $6, $7, '{}', now() FROM paid
    RETURNING id, account_id, price_micro_rub
  ), entry AS (
    INSERT INTO service.entry (account_id, kind, amount_micro_rub, task_id)
    SELECT account_id, 'charge', -price_micro_rub, id FROM task
  )
  SELECT (SELECT id FROM task) AS task_id, (SELECT balance_micro_rub FROM payer) AS available,
         (SELECT pg_notify('service.task', '') FROM task)`

/**
 * Creates a task that is due now and takes its price, both or neither, in one statement.
 *
 * Safe to repeat with an idempotency key: another call of the account with the same key, also one
 * that races, gives the first task, takes nothing and counts towards no limit.
 *
 * @returns The task's id.
 * @throws {RateLimitReachedError} If the account has made as many requests as it may. Nothing is taken.
 * @throws {BalanceTooLowError} If the balance is below the price. Nothing is taken.
 */
export async function chargeTask(sql: Sql, charge: TaskCharge): Promise<number> {
  const { taskId, availableMicroRub, isAccepted } = await insertCharged(sql, charge)
  if (taskId !== undefined) return taskId
  const first = await findFirst(sql, charge)
  if (first !== undefined) return first
  if (!isAccepted) throw await toRateLimitReachedError(sql, charge)
  throw new BalanceTooLowError({ neededMicroRub: charge.priceMicroRub, availableMicroRub })
}

/** Gives no task where the limit is reached, the balance is too low or the idempotency key is taken. */
async function insertCharged(
  sql: Sql,
  charge: TaskCharge,
): Promise<{ taskId: number | undefined; availableMicroRub: bigint; isAccepted: boolean }> {
  try {
    const { rows } = await sql.query<{ task_id: number | null; available: string | null }>(
      INSERT_CHARGED,
      [
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
      ],
    )
    return {
      taskId: rows[0]?.task_id ?? undefined,
      availableMicroRub: BigInt(rows[0]?.available ?? 0),
      // An accepted request has an account to pay from.
      isAccepted: rows[0]?.available != null,
    }
  } catch (error) {
    // A repeat of ours was there first: the whole statement is undone, with the price it took.
    const { code, constraint } = error as { code?: unknown; constraint?: unknown }
    if (code !== UNIQUE_VIOLATION || constraint !== IDEMPOTENCY_INDEX) throw error
    return { taskId: undefined, availableMicroRub: 0n, isAccepted: false }
  }
}

async function findFirst(
  sql: Sql,
  { accountId, idempotencyKey }: TaskCharge,
): Promise<number | undefined> {
  if (idempotencyKey === undefined) return undefined
  const { rows } = await sql.query<{ id: number }>(
    'SELECT id FROM service.task WHERE account_id = $1 AND idempotency_key = $2',
    [accountId, idempotencyKey],
  )
  return rows[0]?.id
}

/**
 * Ends a task as `fail` and gives its price back, in one statement: the refund happens exactly once.
 *
 * Only the lease owner may; a task that has ended stays as it is.
 *
 * @returns Whether this call ended the task.
 */
export async function failTask(
  sql: Sql,
  { taskId, leaseOwner, code, message }: TaskFailure,
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
