import { randomUUID } from 'node:crypto'
import type pg from 'pg'
import { openDatabase } from '../../src/database/database.ts'
import { CHAT_LIMIT } from '../../src/service/http/rate-limit.ts'
import { createAccount } from '../../src/service/ledger/accounts.ts'
import { createApiKey, toPublicId } from '../../src/service/ledger/api-keys.ts'
import { settle } from '../../src/service/ledger/end-hold.ts'
import { hold } from '../../src/service/ledger/hold.ts'
import type { BenchContext, BenchPart } from './part.ts'

const CONNECTIONS = 20
const BATCHES = 60
const WARM_UP_BATCHES = 10
const HOLD_MICRO_RUB = 1000n
const COST_MICRO_RUB = 400n

/** Takes and corrects the money of one chat. */
type Pair = () => Promise<void>

/** One account that all requests pay from: its row is where they meet. */
export const accountBench: BenchPart = {
  title: 'account: holds and settlements of one account against two plain transactions',
  run,
}

async function run({ database, progress }: BenchContext): Promise<string> {
  const url = await database.create()
  const { pool, close } = openDatabase({ url, connectionsMax: CONNECTIONS })
  try {
    const credit = { creditMicroRub: 1_000_000_000_000n }
    const { id: ours } = await createAccount(pool, { name: 'ours', ...credit })
    const { id: plain } = await createAccount(pool, { name: 'plain', ...credit })
    const pairs = {
      plain: createPlainPair(pool, plain),
      ours: createOurPair(pool, await addKey(pool, ours)),
    }
    const seconds = { plain: 0, ours: 0 }
    progress('account: in turn, in batches of 30')
    for (let batch = 0; batch < WARM_UP_BATCHES + BATCHES; batch += 1) {
      for (const name of ['plain', 'ours'] as const) {
        // A minute goes by between two batches: the limit is in force.
        await pool.query('DELETE FROM service.rate_limit')
        const batchSeconds = await runBatch(pairs[name])
        if (batch >= WARM_UP_BATCHES) seconds[name] += batchSeconds
      }
    }
    await check(pool, [ours, plain])
    return report({ plain: toRate(seconds.plain), ours: toRate(seconds.ours) })
  } finally {
    await close()
  }
}

function toRate(seconds: number): number {
  return (BATCHES * CHAT_LIMIT.requestsMax) / seconds
}

/** @returns Seconds for as many pairs at once as the limit allows. */
async function runBatch(pair: Pair): Promise<number> {
  const startedAt = performance.now()
  await Promise.all(Array.from({ length: CHAT_LIMIT.requestsMax }, pair))
  return (performance.now() - startedAt) / 1000
}

async function addKey(pool: pg.Pool, accountId: number) {
  return { accountId, keyId: toPublicId(await createApiKey(pool, accountId)) ?? '' }
}

function createOurPair(pool: pg.Pool, payer: { accountId: number; keyId: string }): Pair {
  return async () => {
    const requestId = randomUUID()
    await hold(pool, {
      requestId,
      ...payer,
      limit: CHAT_LIMIT,
      model: 'bench-model',
      amountMicroRub: HOLD_MICRO_RUB,
      promptMicroRubPer1m: 150_000_000n,
      completionMicroRubPer1m: 600_000_000n,
      leaseOwner: 1,
    })
    const usage = { promptTokens: 20, completionTokens: 20 }
    const settled = await settle(pool, { requestId, costMicroRub: COST_MICRO_RUB, usage })
    if (!settled) throw new Error('A hold was not settled')
  }
}

/** The least that moves money and says so: a balance and its entry; no hold, no limit, no end of it. */
function createPlainPair(pool: pg.Pool, accountId: number): Pair {
  const text = `
    WITH moved AS (
      UPDATE service.account SET balance_micro_rub = balance_micro_rub + $2::bigint
      WHERE id = $1 AND balance_micro_rub + $2::bigint >= 0 RETURNING id
    )
    INSERT INTO service.entry (account_id, kind, amount_micro_rub)
    SELECT id, 'credit', $2::bigint FROM moved`
  const move = async (amountMicroRub: bigint) => {
    const { rowCount } = await pool.query({
      name: 'bench-move',
      text,
      values: [accountId, amountMicroRub],
    })
    if (rowCount !== 1) throw new Error('Money was not moved')
  }
  return async () => {
    await move(HOLD_MICRO_RUB)
    await move(HOLD_MICRO_RUB - COST_MICRO_RUB)
  }
}

async function check(pool: pg.Pool, accountIds: number[]): Promise<void> {
  const { rows } = await pool.query(
    'SELECT * FROM service.ledger_fault WHERE account_id = ANY ($1)',
    [accountIds],
  )
  if (rows.length > 0) throw new Error('A balance is not the sum of its entries')
}

function report({ plain, ours }: { plain: number; ours: number }): string {
  return [
    `Plain transactions: ${plain.toFixed(0)} pairs/s. Kopeck: ${ours.toFixed(0)} pairs/s. Ratio ${(ours / plain).toFixed(2)}.`,
    '',
    `${BATCHES} batches of ${CHAT_LIMIT.requestsMax} pairs over ${CONNECTIONS} connections, in turn, each statement its own transaction.`,
    'Plain: balance and entry, twice. Kopeck: the key, the limit, the balance, the hold and its entry; then',
    'the hold, the balance and the entry of its end. All of it adds up.',
  ].join('\n')
}
