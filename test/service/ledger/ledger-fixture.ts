import { randomUUID } from 'node:crypto'
import type { Pool } from 'pg'
import { createAccount } from '../../../src/service/ledger/accounts.ts'
import { createApiKey, type KeyTerms, toPublicId } from '../../../src/service/ledger/api-keys.ts'
import type { EndReason, EndState, HoldEnd } from '../../../src/service/ledger/ends.ts'
import { createRequestId, type HoldRequest } from '../../../src/service/ledger/holds.ts'
import { KnownKeys } from '../../../src/service/ledger/known-keys.ts'
import { Ledger } from '../../../src/service/ledger/ledger.ts'
import type { RateLimit } from '../../../src/service/ledger/rate-window.ts'
import type { Sql } from '../../../src/service/ledger/sql.ts'
import { chargeTask, failTask, type TaskCharge } from '../../../src/service/ledger/tasks.ts'

/** A limit that no test reaches by accident. */
const WIDE_LIMIT: RateLimit = { kind: 'chat', requestsMax: 1000 }

/** The same object for all requests, as the service has one for each model. */
const PRICES = { prompt: 150_000_000n, completion: 600_000_000n }

const ledgers = new WeakMap<object, Ledger>()

/** The ledger of the process that has this pool. */
export function ledgerOf(pool: Pool): Ledger {
  const known = ledgers.get(pool) ?? new Ledger(pool)
  ledgers.set(pool, known)
  return known
}

/** An account of its own name with that much on it, and with a key that `takeHold()` comes with. */
export async function fundedAccount(pool: Pool, creditMicroRub: bigint): Promise<number> {
  const { id } = await createAccount(pool, { name: randomUUID(), creditMicroRub })
  await pool.query(
    "INSERT INTO service.api_key (public_id, account_id, secret_hash) VALUES ($1, $2, '')",
    [keyIdOf(id), id],
  )
  return id
}

/** Public id of the key of a `fundedAccount()`. */
export function keyIdOf(accountId: number): string {
  return `account${accountId}`
}

/** Makes a request for a hold, with ordinary values for what a test does not name. */
export function toRequest(
  request: Pick<HoldRequest, 'accountId' | 'amountMicroRub'> & Partial<HoldRequest>,
): HoldRequest {
  return {
    requestId: createRequestId(),
    keyId: keyIdOf(request.accountId),
    limit: WIDE_LIMIT,
    model: 'alpha',
    prices: PRICES,
    leaseOwner: 1,
    ...request,
  }
}

/** Takes a hold. @returns Its request's id. */
export async function takeHold(
  pool: Pool,
  request: Parameters<typeof toRequest>[0],
): Promise<string> {
  const asked = toRequest(request)
  await ledgerOf(pool).hold(asked)
  return asked.requestId
}

type End = Partial<HoldEnd> & Pick<HoldEnd, 'requestId'>

async function endAs(pool: Pool, state: EndState, reason: EndReason, end: End): Promise<boolean> {
  const accountId = await accountOf(pool, end.requestId)
  return await ledgerOf(pool).end({ accountId, state, reason, ...end })
}

async function accountOf(pool: Pool, requestId: string): Promise<number> {
  const text = 'SELECT account_id AS id FROM service.request WHERE id = $1'
  const { rows } = await pool.query(text, [requestId])
  return rows[0]?.id ?? 0
}

/** Settles a request. Returns true if it has that end, as the others do. */
export function settle(pool: Pool, end: End & { costMicroRub: bigint }): Promise<boolean> {
  const usage = { promptTokens: 1, completionTokens: 1 }
  return endAs(pool, 'settled', 'usage', { usage, ...end })
}

export function release(pool: Pool, requestId: string): Promise<boolean> {
  return endAs(pool, 'released', 'failed', { requestId })
}

export function capture(pool: Pool, requestId: string): Promise<boolean> {
  return endAs(pool, 'captured', 'broken', { requestId })
}

export async function markOutput(pool: Pool, requestId: string): Promise<boolean> {
  const accountId = await accountOf(pool, requestId)
  return await ledgerOf(pool).markOutput({ accountId, requestId, upstream: 'up' })
}

/** Makes a creation, with ordinary values for what a test does not name. */
export function toCharge(
  charge: Pick<TaskCharge, 'accountId' | 'amountMicroRub'> & Partial<TaskCharge>,
): TaskCharge {
  return {
    keyId: keyIdOf(charge.accountId),
    limit: { kind: 'video', requestsMax: 1000 },
    model: 'vidgen',
    endpoint: 'videos/vidgen-generate',
    params: { prompt: 'снег ❄️' },
    label: 'vidgen-720p-5s',
    ...charge,
  }
}

const WORKER = 7

/** Charges a task that a process works on. */
export async function startTask(
  pool: Pool,
  charge: Parameters<typeof toCharge>[0],
): Promise<number> {
  const taskId = await chargeTask(pool, toCharge(charge))
  await pool.query('UPDATE service.task SET lease_owner = $2 WHERE id = $1', [taskId, WORKER])
  return taskId
}

/** Ends a task that `startTask()` has charged. */
export async function endTask(pool: Sql, taskId: number, leaseOwner = WORKER): Promise<boolean> {
  return await failTask(pool, { taskId, leaseOwner }, { code: 502, message: 'no' })
}

export async function findAccountByApiKey(pool: Pool, apiKey: string) {
  return await new KnownKeys(pool).find(apiKey)
}

/** Makes a key. Returns its public id. */
export async function addKey(
  pool: Pool,
  accountId: number,
  terms: Partial<KeyTerms> = {},
): Promise<string> {
  return toPublicId(await createApiKey(pool, accountId, terms)) ?? ''
}

export async function balanceOf(pool: Pool, accountId: number): Promise<bigint> {
  const { rows } = await pool.query('SELECT balance_micro_rub FROM service.account WHERE id = $1', [
    accountId,
  ])
  return BigInt(rows[0].balance_micro_rub)
}

/** The amounts of an operator's credits and debits, oldest first. */
export async function adjustmentsOf(pool: Pool, accountId: number): Promise<bigint[]> {
  const { rows } = await pool.query(
    'SELECT amount_micro_rub FROM service.adjustment WHERE account_id = $1 ORDER BY id',
    [accountId],
  )
  return rows.map((row) => BigInt(row.amount_micro_rub))
}

export async function requestRow(pool: Pool, requestId: string) {
  const { rows } = await pool.query(
    `SELECT end_state AS state, end_reason AS reason, output_at, cost_micro_rub::text AS cost, held_micro_rub::text AS held,
            prompt_tokens, completion_tokens, upstream
     FROM service.request WHERE id = $1`,
    [requestId],
  )
  return rows[0]
}

/** Accounts whose balance, and keys whose spend, is not what their movements come to. */
export async function ledgerFaults(pool: Pool): Promise<unknown[]> {
  return (await pool.query('SELECT * FROM service.ledger_fault')).rows
}

/** Waits until a connection, or so many, wait for what another has written. */
export async function untilSomebodyWaits(pool: Pool, waiting = 1): Promise<void> {
  for (;;) {
    const { rows } = await pool.query(
      `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
    )
    if (rows.length >= waiting) return
  }
}

/** The same numbers for the same seed (mulberry32). @returns A whole number below `below`. */
export function createRandom(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below
  }
}
