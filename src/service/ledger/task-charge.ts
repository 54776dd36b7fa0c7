import { randomUUID } from 'node:crypto'
import { type LedgerSql, run } from './batch/operation.ts'
import {
  DEBIT_FACTS_SQL,
  type DebitFacts,
  type DebitRequest,
  debitSql,
  toBalanceAfter,
  toDebitRefusal,
  toDebitRow,
} from './debit.ts'
import { IdempotencyKeyReusedError } from './errors.ts'
import { isTaken, type Sql } from './sql.ts'
import { tellMoney, toTaskReference } from './tell-money.ts'

/** What a new task is charged for. */
export interface TaskCharge extends DebitRequest {
  /** The creation endpoint's path below the version. */
  endpoint: string
  /** The checked body of the creation request. */
  params: object
  label: string
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

// A repeat counts towards nothing.
const INSERT_CHARGED = `
  WITH ${debitSql(
    {
      accountId: '$1',
      keyId: '$2',
      model: '$3',
      amount: '$4',
      route: '$5',
      requestsMax: '$6',
      windowMs: '$7',
    },
    'NOT EXISTS (SELECT FROM service.task WHERE account_id = $1 AND idempotency_key = $11)',
  )}, task AS (
    INSERT INTO service.task
      (account_id, key_id, endpoint, params, label, price_micro_rub, idempotency_key, callback_url, files,
       due_at)
    SELECT id, $2, $8, $9, $10, $4::bigint, $11, $12, '{}', now() FROM debit
    RETURNING id, account_id, key_id, price_micro_rub
  ), entry AS (
    INSERT INTO service.entry (account_id, kind, amount_micro_rub, task_id, key_id)
    SELECT account_id, 'charge', -price_micro_rub, id, key_id FROM task
  )
  SELECT (SELECT id FROM task) AS "taskId", ${DEBIT_FACTS_SQL},
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
 * @param charge Its amount is the task's price.
 * @returns The task's id.
 * @throws {IdempotencyKeyReusedError} If the idempotency key came with another body or endpoint.
 * @throws What `hold()` does. Whatever it is, nothing is taken.
 */
export async function chargeTask(sql: LedgerSql, charge: TaskCharge): Promise<number> {
  const charged = await insertCharged(sql, charge)
  if (charged?.taskId != null) {
    const reference = toTaskReference(charged.taskId)
    const { accountId, label, amountMicroRub } = charge
    const balanceMicroRub = toBalanceAfter(charged, -amountMicroRub)
    tellMoney(() => ({
      kind: 'debit',
      reference,
      accountId,
      label,
      amountMicroRub,
      balanceMicroRub,
    }))
    return charged.taskId
  }
  const first = await findRepeatedTask(sql, charge)
  if (first !== undefined) return first
  if (charged === undefined) throw new TypeError('Cannot charge task: its first one is gone')
  throw await toDebitRefusal(sql, charge, charged)
}

type Charged = DebitFacts & { taskId: number | null }

/** Gives no task where the debit is refused or the idempotency key is taken. */
async function insertCharged(sql: LedgerSql, charge: TaskCharge): Promise<Charged | undefined> {
  const { accountId, endpoint, params, label, idempotencyKey, callbackUrl } = charge
  try {
    return await run(sql, {
      subject: idempotencyKey === undefined ? randomUUID() : `${accountId} ${idempotencyKey}`,
      row: {
        kind: 'task',
        entry_kind: 'charge',
        ...toDebitRow(charge),
        endpoint,
        params,
        label,
        idempotency_key: idempotencyKey,
        callback_url: callbackUrl,
      },
      alone: () => insertAlone(sql, charge),
    })
  } catch (error) {
    // A repeat of ours was there first: the whole statement is undone, with the price it took.
    if (!isTaken(error, IDEMPOTENCY_INDEX)) throw error
    return undefined
  }
}

async function insertAlone(sql: Sql, charge: TaskCharge): Promise<Charged> {
  const { rows } = await sql.query<Charged>(INSERT_CHARGED, [
    ...[charge.accountId, charge.keyId, charge.model, charge.amountMicroRub],
    ...[charge.limit.route, charge.limit.requestsMax, charge.limit.windowMs],
    ...[charge.endpoint, JSON.stringify(charge.params), charge.label],
    ...[charge.idempotencyKey ?? null, charge.callbackUrl ?? null],
  ])
  const [row] = rows
  if (row === undefined) throw new TypeError('Cannot charge task: the statement returned no row')
  return row
}

/**
 * Finds the task that an earlier call with the same idempotency key has made. Nothing is taken or counted.
 *
 * @returns Its id; undefined if there is none, or no key.
 * @throws {IdempotencyKeyReusedError} If the key came with another body or endpoint.
 */
export async function findRepeatedTask(
  sql: Sql,
  {
    accountId,
    idempotencyKey,
    endpoint,
    params,
  }: Pick<TaskCharge, 'accountId' | 'idempotencyKey' | 'endpoint' | 'params'>,
): Promise<number | undefined> {
  if (idempotencyKey === undefined) return undefined
  const { rows } = await sql.query<{ id: number; isSame: boolean }>(FIND_FIRST, [
    ...[accountId, idempotencyKey, endpoint, JSON.stringify(params)],
  ])
  if (rows[0]?.isSame === false) throw new IdempotencyKeyReusedError()
  return rows[0]?.id
}

interface Refunded {
  accountId: number
  label: string
  price: string
  balance: string
}

/**
 * Ends a task as `fail` and gives its price back, in one statement: the refund happens exactly once.
 *
 * Only the lease owner may (`src/platform/database/lease.ts`); a task that has ended stays as it is.
 *
 * @returns Whether this call ended the task.
 */
export async function failTask(
  sql: Sql,
  { taskId, leaseOwner }: { taskId: number; leaseOwner: number },
  { code, message }: TaskFailure,
): Promise<boolean> {
  const { rows } = await sql.query<Refunded>(
    // A repeat of the creation may have the account's row and look for the task's: the account's comes first here, too.
    `WITH payer AS (
       SELECT account.id FROM service.account JOIN service.task ON task.account_id = account.id
       WHERE task.id = $1 AND task.lease_owner = $2 FOR UPDATE OF account
     ), failed AS (
       UPDATE service.task
       SET status = 'fail', error_code = $3, error_message = $4, ended_at = now(),
         due_at = NULL, lease_owner = NULL
       FROM payer
       WHERE task.id = $1 AND lease_owner = $2 AND status NOT IN ('success', 'fail')
       RETURNING task.id, account_id, key_id, label, price_micro_rub
     ), refund AS (
       INSERT INTO service.entry (account_id, kind, amount_micro_rub, task_id, key_id)
       SELECT account_id, 'refund', price_micro_rub, id, key_id FROM failed
     ), repaid AS (
       UPDATE service.account SET balance_micro_rub = balance_micro_rub + failed.price_micro_rub
       FROM failed WHERE account.id = failed.account_id
       RETURNING failed.key_id, failed.price_micro_rub, balance_micro_rub AS balance
     ), key_repaid AS (
       UPDATE service.api_key SET spent_micro_rub = spent_micro_rub - repaid.price_micro_rub
       FROM repaid WHERE public_id = repaid.key_id
     )
     SELECT account_id AS "accountId", label, failed.price_micro_rub AS price, balance
     FROM failed CROSS JOIN repaid`,
    [taskId, leaseOwner, code, message],
  )
  const [refunded] = rows
  if (refunded === undefined) return false
  const { accountId, label, price, balance } = refunded
  tellMoney(() => ({
    kind: 'refund',
    reference: toTaskReference(taskId),
    accountId,
    label,
    amountMicroRub: BigInt(price),
    balanceMicroRub: BigInt(balance),
  }))
  return true
}
