/** The money of tasks: a row is its charge, and with the status `fail` its refund, in one transaction with the balance. */
import { type Debit, openBooks, takeMoney } from './books.ts'
import { RequestRefusedError } from './errors.ts'
import { publishMoney, toTaskReference } from './publish-money.ts'
import { findRow, inTransaction, type Pool, readRow, type Sql } from './sql.ts'

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

/** The failure of a task that its customer was not given: the creation was answered with 503. */
const WITHDRAWN: TaskFailure = { code: 503, message: 'The creation was not answered in time.' }

const COLUMNS =
  'account_id, key_id, endpoint, params, label, idempotency_key, files, price_micro_rub'

function toValues(charge: TaskCharge): unknown[] {
  const { accountId, keyId, endpoint, params, label, idempotencyKey, reference } = charge
  return [accountId, keyId, endpoint, JSON.stringify(params), label, idempotencyKey ?? reference]
}

const INSERT = `
  INSERT INTO service.task (${COLUMNS}, callback_url, due_at)
  VALUES ($1, $2, $3, $4, $5, $6, '{}', $7, $8, now())
  RETURNING id, pg_notify('service.task', '')`

/** Creates a due task and takes its price. Safe to repeat with a key or reference. @throws {RequestRefusedError} */
export async function chargeTask(pool: Pool, charge: TaskCharge): Promise<number> {
  const { accountId, label, amountMicroRub, callbackUrl } = charge
  const charged = await inTransaction(pool, async (sql) => {
    const books = await openBooks(sql, charge)
    const first = await findTask(sql, charge, charge.idempotencyKey ?? charge.reference)
    if (first !== undefined) return { taskId: first, isNew: false }
    const taken = await takeMoney(sql, books, charge)
    if (taken instanceof RequestRefusedError) return taken
    const values = [...toValues(charge), amountMicroRub, callbackUrl]
    const { id } = await readRow<{ id: number }>(sql, INSERT, values)
    return { taskId: id, isNew: true }
  })
  if (charged instanceof RequestRefusedError) throw charged
  const { taskId, isNew } = charged
  const reference = toTaskReference(taskId)
  if (isNew) publishMoney({ kind: 'debit', reference, accountId, label, amountMicroRub })
  return taskId
}

type Named = Pick<TaskCharge, 'accountId' | 'endpoint' | 'params' | 'idempotencyKey'>

export async function findRepeatedTask(sql: Sql, charge: Named): Promise<number | undefined> {
  return await findTask(sql, charge, charge.idempotencyKey)
}

// PostgreSQL compares JSON by its meaning: fields in another order make no other request.
const FIND_FIRST = `
  SELECT id, endpoint = $3 AND params = $4::jsonb AS "isSame" FROM service.task
  WHERE account_id = $1 AND idempotency_key = $2`

async function findTask(sql: Sql, { accountId, endpoint, params }: Named, name?: string) {
  if (name === undefined) return undefined
  const values = [accountId, name, endpoint, JSON.stringify(params)]
  const first = await findRow<{ id: number; isSame: boolean }>(sql, FIND_FIRST, values)
  if (first?.isSame === false) throw new RequestRefusedError({ code: 'idempotency_key_reused' })
  return first?.id
}

// A statement that is still on its way finds the name in use, and is undone whole.
const WITHDRAW = `
  WITH owner AS MATERIALIZED (SELECT id FROM service.account WHERE id = $1 FOR UPDATE)
  INSERT INTO service.task (${COLUMNS}, status, error_code, error_message, ended_at)
  SELECT id, $2, $3, $4, $5, $6, '{}', 0, 'fail', $7, $8, now() FROM owner
  ON CONFLICT DO NOTHING`

const LEASE = `
  UPDATE service.task SET lease_owner = $3
  WHERE account_id = $1 AND idempotency_key = $2 AND ended_at IS NULL RETURNING id`

/** Makes sure that a creation is not charged: if its task is there, it fails with a refund. Safe to repeat. */
export async function withdrawTask(
  sql: Sql,
  charge: TaskCharge & { reference: string },
  leaseOwner: number,
): Promise<void> {
  const { accountId, reference } = charge
  const values = [
    ...toValues({ ...charge, idempotencyKey: undefined }),
    WITHDRAWN.code,
    WITHDRAWN.message,
  ]
  const { rowCount } = await sql.query(WITHDRAW, values)
  if (rowCount !== 0) return
  const { rows } = await sql.query<{ id: number }>(LEASE, [accountId, reference, leaseOwner])
  for (const { id } of rows) await failTask(sql, { taskId: id, leaseOwner }, WITHDRAWN)
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
  publishMoney({ kind: 'refund', reference: toTaskReference(taskId), ...failed })
  return true
}
