import pg from 'pg'
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import type { KnownPrices } from '../../src/service/config/openai/judge-prices.ts'
import {
  type AskedPrices,
  createPriceWatch,
  readStoredPrices,
  storePrices,
} from '../../src/service/price-watch.ts'
import { createTestDatabase } from '../platform/database/test-database.ts'
import { createVisitsByHand } from '../platform/jobs/visits-by-hand.ts'
import { fundedAccount, settle, takeHold } from './ledger/ledger-fixture.ts'

const HOUR_MS = 60 * 60_000
const BASE_URL = 'https://llm.example.com/v1'
const TABLE = 'service.price_watch'
const KNOWN: KnownPrices = new Map([
  ['a/b', { prices: { prompt: 250_000n, completion: 2n }, from: 'list', date: '2026-11-29' }],
])

let pool: pg.Pool

beforeAll(async () => {
  pool = new pg.Pool({ connectionString: await createTestDatabase() })
  // Only a process that lives leases rows.
  await pool.query(
    "INSERT INTO public.instance (id, works) VALUES (1, '{service}'), (2, '{service}')",
  )
})
afterAll(() => pool.end())
beforeEach(() => pool.query('UPDATE service.price_watch SET base_url = NULL, prices = NULL'))

function addProcess(leaseOwner: number, ask: AskedPrices['ask'] = async () => true) {
  const { dueRows, visit } = createVisitsByHand({ pool, leaseOwner })
  let notify = () => {}
  const asked = {
    notifications: {
      listen: (_: string, listener: { onGap(): void }) => (notify = listener.onGap),
    },
    baseUrl: () => BASE_URL,
    ask: vi.fn(ask),
    recall: vi.fn(async (_known: KnownPrices) => undefined),
  }
  const onDifference = vi.fn()
  const log = { warn: vi.fn(), error: vi.fn() }
  createPriceWatch({ pool, dueRows, asked, onDifference, log }).start()
  return { asked, onDifference, log, visit: () => visit(TABLE, 1), notify: () => notify() }
}

// Promise: Of two processes one asks for newer prices, once a day
test('two processes ask once a day, and again in an hour if the upstream gave no prices', async () => {
  const underWay = Promise.withResolvers<boolean>()
  const first = addProcess(1, () => underWay.promise)
  const second = addProcess(2)

  const visiting = first.visit()
  await expect.poll(() => first.asked.ask.mock.calls.length).toBe(1)
  const meanwhile = await second.visit()
  underWay.resolve(false)

  expect(meanwhile).toBeUndefined()
  expect(second.asked.ask).not.toHaveBeenCalled()
  expect(await visiting).toBe(HOUR_MS)
  expect(await second.visit()).toBe(24 * HOUR_MS)
})

test('the prices that one process has stored are those of the others, for the same upstream', async () => {
  const other = addProcess(2)
  other.notify()
  await storePrices(pool, BASE_URL, KNOWN)
  other.notify()

  await expect.poll(() => other.asked.recall.mock.calls).toEqual([[KNOWN]])
  expect(await readStoredPrices(pool, 'https://other.example.com/v1')).toBeUndefined()
})

// Promise: Admins hear of a model whose charges of a day differ from the reported costs by more than 5 %
test('a day’s charges more than 5 % off the reported costs are reported by model', async () => {
  const accountId = await fundedAccount(pool, 10_000n)
  for (const [model, costMicroRub, reportedCostMicroRub, upstreamCostMicroRub] of [
    ['exact', 105n, 100n],
    ['dear', 106n, 100n],
    ['cheap', 94n, 100n],
    ['with a margin', 200n, 100n, 100n],
    ['silent', 100n, undefined],
  ] as const) {
    const requestId = await takeHold(pool, { accountId, model, amountMicroRub: 200n })
    const usage = { promptTokens: 1, completionTokens: 1 }
    const costs = { costMicroRub, reportedCostMicroRub, upstreamCostMicroRub }
    await settle(pool, { requestId, usage, ...costs })
  }
  const old = await takeHold(pool, { accountId, model: 'old', amountMicroRub: 200n })
  const usage = { promptTokens: 1, completionTokens: 1 }
  await settle(pool, { requestId: old, usage, costMicroRub: 200n, reportedCostMicroRub: 1n })
  await pool.query(
    "UPDATE service.request SET ended_at = now() - interval '25 hours' WHERE id = $1",
    [old],
  )
  const { visit, onDifference, log } = addProcess(1)

  await visit()

  expect(onDifference.mock.calls).toEqual([
    [{ pricedModel: 'cheap', chargedMicroRub: 94n, reportedMicroRub: 100n }],
    [{ pricedModel: 'dear', chargedMicroRub: 106n, reportedMicroRub: 100n }],
  ])
  expect(log.warn).toHaveBeenCalledTimes(2)
})
