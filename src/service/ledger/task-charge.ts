import { randomUUID } from 'node:crypto'
import type { LedgerSql, OperationOutcome } from './batch/operation.ts'
import { run, runOne } from './batch/run-batch.ts'
import { type DebitRequest, toDebitRefusal, toDebitRow } from './debit.ts'
import { IdempotencyKeyReusedError } from './errors.ts'
import { publishMoney, toTaskReference } from './publish-money.ts'
import { isTaken, type Sql } from './sql.ts'

/** A new task and its charge. */
export interface TaskCharge extends DebitRequest {
  endpoint: string
  params: object
  label: string
  idempotencyKey?: string | undefined
  /** The process's name for a creation that has no other, a UUID; without either every call makes a new task. */
  reference?: string
  /** The URL of the callback, already checked. A repeat does not change it. */
  callbackUrl?: string | undefined
}

/** The reason why a task failed, in words fit for its owner. */
export interface TaskFailure {
  code: number
  message: string
}

/** The failure of a task that its customer was not given: the creation was answered with 503. */
const WITHDRAWN: TaskFailure = { code: 503, message: 'The creation was not answered in time.' }

const IDEMPOTENCY_INDEX = 'task_account_id_idempotency_key_key'

// The request is kept with the task as it was checked: fields in another order, and unknown fields, make no other
// request. PostgreSQL compares JSON by its meaning.
const FIND_FIRST = `
  SELECT id, endpoint = $3 AND params = $4::jsonb AS "isSame" FROM service.task
  WHERE account_id = $1 AND idempotency_key = $2`

/**
 * Creates a task that is due now and takes its price, both or neither, in one statement.
 *
 * Safe to repeat with an idempotency key or a reference: another call of the account with the same key and request,
 * also one that races, gives the first task, takes nothing and counts towards no limit.
 *
 * @param charge Its amount is the task's price.
 * @throws {IdempotencyKeyReusedError} If the idempotency key came with another body or endpoint.
 * @throws What `hold()` does. Where it throws, nothing is taken; where the database lost its answer, once a repeat has
 *   one, or `withdrawTask()` has been called.
 */
export async function chargeTask(sql: LedgerSql, charge: TaskCharge): Promise<number> {
  const charged = await insertCharged(sql, charge)
  if (charged?.taskId != null) {
    const reference = toTaskReference(charged.taskId)
    const { accountId, label, amountMicroRub } = charge
    publishMoney(() => ({
      kind: 'debit',
      reference,
      accountId,
      label,
      amountMicroRub,
    }))
    return charged.taskId
  }
  const first = await findTask(sql, charge, nameOf(charge))
  if (first !== undefined) return first
  if (charged === undefined) throw new TypeError('Cannot charge task: its first one is gone')
  throw await toDebitRefusal(sql, charge, charged)
}

/** Returns no task where the debit is refused or the idempotency key is taken. */
async function insertCharged(
  sql: LedgerSql,
  charge: TaskCharge,
): Promise<OperationOutcome | undefined> {
  const { accountId, endpoint, params, label, callbackUrl } = charge
  const name = nameOf(charge)
  try {
    return await run(sql, {
      subject: name === undefined ? randomUUID() : `${accountId} ${name}`,
      row: {
        kind: 'task',
        entry_kind: 'charge',
        ...toDebitRow(charge),
        endpoint,
        params,
        label,
        idempotency_key: name,
        callback_url: callbackUrl,
      },
    })
  } catch (error) {
    // A repeat of ours was there first: the whole statement is undone, with the price it took.
    if (!isTaken(error, IDEMPOTENCY_INDEX)) throw error
    return undefined
  }
}

/**
 * Finds the task that an earlier call with the same idempotency key has made. Nothing is taken or counted.
 *
 * @returns Its id; undefined if there is none, or no key.
 * @throws {IdempotencyKeyReusedError} If the key came with another body or endpoint.
 */
export async function findRepeatedTask(
  sql: Sql,
  charge: Pick<TaskCharge, 'accountId' | 'idempotencyKey' | 'endpoint' | 'params'>,
): Promise<number | undefined> {
  return await findTask(sql, charge, charge.idempotencyKey)
}

async function findTask(
  sql: Sql,
  { accountId, endpoint, params }: Pick<TaskCharge, 'accountId' | 'endpoint' | 'params'>,
  name: string | undefined,
): Promise<number | undefined> {
  if (name === undefined) return undefined
  const values = [accountId, name, endpoint, JSON.stringify(params)]
  const { rows } = await sql.query<{ id: number; isSame: boolean }>(FIND_FIRST, values)
  if (rows[0]?.isSame === false) throw new IdempotencyKeyReusedError()
  return rows[0]?.id
}

function nameOf({ idempotencyKey, reference }: TaskCharge): string | undefined {
  return idempotencyKey ?? reference
}

// A statement that is still on its way finds the name in use, and is undone whole.
const WITHDRAW = `
  WITH withdrawn AS (
    INSERT INTO service.task (account_id, key_id, endpoint, params, label, price_micro_rub,
      idempotency_key, files, status, error_code, error_message, ended_at)
    VALUES ($1, $2, $3, $4, $5, 0, $6, '{}', 'fail', $7, $8, now())
    ON CONFLICT DO NOTHING
    RETURNING id, account_id, key_id
  )
  INSERT INTO service.entry (account_id, kind, amount_micro_rub, task_id, key_id)
  SELECT account_id, kind, 0, id, key_id
  FROM withdrawn, unnest(ARRAY['charge', 'refund']::service.entry_kind[]) AS kind`

const LEASE = `
  UPDATE service.task SET lease_owner = $3
  WHERE account_id = $1 AND idempotency_key = $2 AND ended_at IS NULL RETURNING id`

/**
 * Makes sure that a creation which may have been charged is not: a task that is there fails with a refund, whichever
 * process drives it. Safe to repeat.
 */
export async function withdrawTask(
  sql: Sql,
  charge: TaskCharge & { reference: string },
  leaseOwner: number,
): Promise<void> {
  const { accountId, keyId, endpoint, params, label, reference } = charge
  const { rowCount } = await sql.query(WITHDRAW, [
    ...[accountId, keyId, endpoint, JSON.stringify(params), label, reference],
    ...[WITHDRAWN.code, WITHDRAWN.message],
  ])
  if (rowCount !== 0) return
  const { rows } = await sql.query<{ id: number }>(LEASE, [accountId, reference, leaseOwner])
  for (const { id } of rows) await failTask(sql, { taskId: id, leaseOwner }, WITHDRAWN)
}

/**
 * Ends a task as `fail` and gives its price back, in one statement: the refund happens exactly once.
 *
 * Only the lease owner may (`src/platform/database/instance/lease.ts`); a task that has ended stays as it is.
 *
 * @returns True if this call ended the task.
 */
export async function failTask(
  sql: Sql,
  { taskId, leaseOwner }: { taskId: number; leaseOwner: number },
  { code, message }: TaskFailure,
): Promise<boolean> {
  const failed = await runOne(sql, {
    kind: 'task_failure',
    entry_kind: 'refund',
    task_id: taskId,
    lease_owner: leaseOwner,
    error_code: code,
    // PostgreSQL reads it from JSON, and refuses half a pair there.
    error_message: message.toWellFormed(),
  })
  const { accountId, label, taken } = failed
  if (accountId === null || label === null) return false
  const amountMicroRub = -BigInt(taken ?? 0)
  publishMoney(() => ({
    kind: 'refund',
    reference: toTaskReference(taskId),
    accountId,
    label,
    amountMicroRub,
  }))
  return true
}
