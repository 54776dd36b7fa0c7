/** The money of tasks: a row is its charge, and with the status `fail` its refund, in one transaction with the balance. */
import { TASK_STATUSES, type TaskStatus } from '../../contract/tasks.ts'
import { type Debit, openBooks, takeMoney } from './books.ts'
import { RequestRefusedError } from './errors.ts'
import { publishMoney } from './publish-money.ts'
import {
  findRow,
  inTransaction,
  lockAccount,
  type Pool,
  readRow,
  readRows,
  type Sql,
} from './sql.ts'

export interface TaskCharge extends Debit {
  endpoint: string
  params: object
  label: string
  idempotencyKey?: string | undefined
  /** The process's name for a creation that has no other, a UUID; without either every call makes a new task. */
  reference?: string
  /** The URL of the callback, already checked. A repeat does not change it. */
  callbackUrl?: string | undefined
}

export interface TaskFailure {
  code: number
  message: string
}

const COLUMNS =
  'account_id, key_id, endpoint, params, label, idempotency_key, files, price_micro_rub'

function toValues(charge: TaskCharge, name: string | undefined): unknown[] {
  const { accountId, keyId, endpoint, params, label } = charge
  return [accountId, keyId, endpoint, JSON.stringify(params), label, name]
}

const INSERT = `
  INSERT INTO service.task (${COLUMNS}, callback_url, due_at)
  VALUES ($1, $2, $3, $4, $5, $6, '{}', $7, $8, now())
  RETURNING id, pg_notify('service.task', '')`

/** Creates a due task and takes its price. Safe to repeat with a key or reference. @throws {RequestRefusedError} */
export async function chargeTask(pool: Pool, charge: TaskCharge): Promise<number> {
  const { accountId, label, amountMicroRub, callbackUrl } = charge
  const name = charge.idempotencyKey ?? charge.reference
  const charged = await inTransaction(pool, async (sql) => {
    const books = await openBooks(sql, charge)
    const taskId = await findRepeatedTask(sql, charge, name)
    if (taskId !== undefined) return { taskId, isNew: false }
    const taken = await takeMoney(sql, books, charge)
    if (taken instanceof RequestRefusedError) return taken
    const values = [...toValues(charge, name), amountMicroRub, callbackUrl]
    const { id } = await readRow<{ id: number }>(sql, INSERT, values)
    return { taskId: id, isNew: true }
  })
  if (charged instanceof RequestRefusedError) throw charged
  const { taskId, isNew } = charged
  const reference = `task ${taskId}`
  if (isNew) publishMoney({ kind: 'debit', reference, accountId, label, amountMicroRub })
  return taskId
}

// PostgreSQL compares JSON by its meaning: fields in another order make no other request.
const FIND_FIRST = `
  SELECT id, endpoint = $3 AND params = $4::jsonb AS "isSame" FROM service.task
  WHERE account_id = $1 AND idempotency_key = $2`

/** Finds the task of a creation with the same name. @throws {RequestRefusedError} The name is that of another creation. */
export async function findRepeatedTask(
  sql: Sql,
  charge: Pick<TaskCharge, 'accountId' | 'endpoint' | 'params' | 'idempotencyKey'>,
  name = charge.idempotencyKey,
): Promise<number | undefined> {
  if (name === undefined) return undefined
  const values = [charge.accountId, name, charge.endpoint, JSON.stringify(charge.params)]
  const first = await findRow<{ id: number; isSame: boolean }>(sql, FIND_FIRST, values)
  if (first?.isSame === false) throw new RequestRefusedError({ code: 'idempotency_key_reused' })
  return first?.id
}

const LEASE = `
  UPDATE service.task SET lease_owner = $3
  WHERE account_id = $1 AND idempotency_key = $2 AND ended_at IS NULL RETURNING id`

// A creation that is still on its way finds the name in use, and is not charged.
const WITHDRAW = `
  INSERT INTO service.task (${COLUMNS}, status, error_code, error_message, ended_at)
  VALUES ($1, $2, $3, $4, $5, $6, '{}', 0, 'fail', $7, $8, now()) ON CONFLICT DO NOTHING`

/** Makes sure, in a transaction, that a creation is not charged: its task fails with a refund. Safe to repeat. */
export async function withdrawTask(
  sql: Sql,
  charge: TaskCharge & { reference: string },
  leaseOwner: number,
): Promise<void> {
  const { accountId, reference } = charge
  const failure = { code: 503, message: 'The creation was not answered in time.' }
  await lockAccount(sql, accountId)
  const task = await findRow<{ id: number }>(sql, LEASE, [accountId, reference, leaseOwner])
  if (task !== undefined) await failTask(sql, { taskId: task.id, leaseOwner }, failure)
  else await sql.query(WITHDRAW, [...toValues(charge, reference), failure.code, failure.message])
}

const LOCK = `
  SELECT FROM service.account WHERE id = (SELECT account_id FROM service.task WHERE id = $1) FOR UPDATE`

const FAIL = `
  WITH failed AS (
    UPDATE service.task
    SET status = 'fail', error_code = $3, error_message = $4, ended_at = now(), due_at = NULL, lease_owner = NULL
    WHERE id = $1 AND lease_owner = $2 AND status NOT IN ('success', 'fail')
    RETURNING account_id, key_id, label, price_micro_rub AS price
  ), paid AS (
    UPDATE service.account SET balance_micro_rub = balance_micro_rub + price
    FROM failed WHERE account.id = failed.account_id
  ), key_paid AS (
    UPDATE service.api_key SET spent_micro_rub = spent_micro_rub - price
    FROM failed WHERE public_id = failed.key_id AND spend_limit_micro_rub IS NOT NULL
  )
  SELECT account_id, label, price AS "amountMicroRub" FROM failed`

/** Fails an open task that the owner has leased, and refunds its price, in a transaction. Returns whether it did. */
export async function failTask(
  sql: Sql,
  { taskId, leaseOwner }: { taskId: number; leaseOwner: number },
  { code, message }: TaskFailure,
): Promise<boolean> {
  await sql.query(LOCK, [taskId])
  const values = [taskId, leaseOwner, code, message.toWellFormed()]
  type Failed = { accountId: number; label: string; amountMicroRub: bigint }
  const failed = await findRow<Failed>(sql, FAIL, values)
  if (failed === undefined) return false
  publishMoney({ kind: 'refund', reference: `task ${taskId}`, ...failed })
  return true
}

export interface TaskFigures {
  status: TaskStatus
  tasks: number
  priceMicroRub: bigint
}

/** Sums up the tasks of all processes by state, from one index alone: 0.2 s for a million. */
export async function readTaskFigures(sql: Sql): Promise<TaskFigures[]> {
  const text = `SELECT status, count(*)::int AS tasks, sum(price_micro_rub)::bigint AS "priceMicroRub"
    FROM service.task GROUP BY status`
  const found = await readRows<TaskFigures>(sql, text)
  return TASK_STATUSES.map(
    (status) =>
      found.find((one) => one.status === status) ?? { status, tasks: 0, priceMicroRub: 0n },
  )
}
