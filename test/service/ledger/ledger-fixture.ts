import { randomUUID } from 'node:crypto'
import type { Pool } from 'pg'
import { createAccount } from '../../../src/service/ledger/accounts.ts'
import type { LedgerSql } from '../../../src/service/ledger/batch/operation.ts'
import { type HoldRequest, hold } from '../../../src/service/ledger/hold.ts'
import type { RateLimit } from '../../../src/service/ledger/rate-limit.ts'

/** A limit that no test reaches by accident. */
export const WIDE_LIMIT: RateLimit = { route: 'wide', requestsMax: 1000, windowMs: 60_000 }

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
    requestId: randomUUID(),
    keyId: keyIdOf(request.accountId),
    limit: WIDE_LIMIT,
    model: 'alpha',
    prices: { prompt: 150_000_000n, completion: 600_000_000n },
    leaseOwner: 1,
    ...request,
  }
}

/** Takes a hold. @returns Its request's id. */
export async function takeHold(
  pool: LedgerSql,
  request: Parameters<typeof toRequest>[0],
): Promise<string> {
  const asked = toRequest(request)
  await hold(pool, asked)
  return asked.requestId
}

export async function balanceOf(pool: Pool, accountId: number): Promise<bigint> {
  const { rows } = await pool.query('SELECT balance_micro_rub FROM service.account WHERE id = $1', [
    accountId,
  ])
  return BigInt(rows[0].balance_micro_rub)
}

/** Kind and amount of an account's entries, oldest first. */
export async function entriesOf(pool: Pool, accountId: number): Promise<[string, bigint][]> {
  const { rows } = await pool.query(
    'SELECT kind, amount_micro_rub FROM service.entry WHERE account_id = $1 ORDER BY id',
    [accountId],
  )
  return rows.map((row) => [row.kind, BigInt(row.amount_micro_rub)])
}

export async function holdRow(pool: Pool, requestId: string) {
  const { rows } = await pool.query(
    `SELECT state, first_output_at, cost_micro_rub::bigint::text AS cost, amount_micro_rub::text AS amount,
            prompt_tokens, completion_tokens
     FROM service.hold WHERE request_id = $1`,
    [requestId],
  )
  return rows[0]
}

/** Accounts whose balance, and keys whose spend, is not the sum of their entries. */
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
