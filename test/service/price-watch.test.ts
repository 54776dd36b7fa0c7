import pg from 'pg'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import type { KnownPrices } from '../../src/service/config/openai/offer-models.ts'
import { createPriceStore, watchCosts } from '../../src/service/price-watch.ts'
import { createTestDatabase } from '../platform/database/test-database.ts'
import { createVisitsByHand } from '../platform/jobs/visits-by-hand.ts'
import { fundedAccount, settle, takeHold } from './ledger/ledger-fixture.ts'

const HOUR_MS = 60 * 60_000
const BASE_URL = 'https://llm.example.com/v1'
const TABLE = 'service.price_watch'
const KNOWN: KnownPrices = new Map([
  [
    'a/b',
    {
      usd: {
        prompt: 250_000n,
        completion: 2n,
        tiers: [{ prompt: 3n, completion: 4n, abovePromptTokens: 1000 }],
      },
      priceFrom: 'list',
      pricedAt: '2026-11-29',
    },
  ],
])

let pool: pg.Pool

beforeAll(async () => {
  pool = new pg.Pool({ connectionString: await createTestDatabase() })
  // Only a process that lives leases rows.
  await pool.query("INSERT INTO public.instance (id, works) VALUES (1, '{service}')")
})
afterAll(() => pool.end())

test('stored prices are those of all processes, for the same upstream', async () => {
  await createPriceStore(pool).save(BASE_URL, KNOWN)

  expect(await createPriceStore(pool).load(BASE_URL)).toEqual(KNOWN)
  expect(await createPriceStore(pool).load('https://other.example.com/v1')).toEqual(new Map())
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
  const { dueRows, visit } = createVisitsByHand({ pool, leaseOwner: 1 })
  const onDifference = vi.fn()
  const log = { warn: vi.fn() }
  watchCosts({ pool, dueRows, onDifference, log })

  expect(await visit(TABLE, 1)).toBe(24 * HOUR_MS)

  expect(onDifference.mock.calls).toEqual([
    [{ pricedModel: 'cheap', chargedMicroRub: 94n, reportedMicroRub: 100n }],
    [{ pricedModel: 'dear', chargedMicroRub: 106n, reportedMicroRub: 100n }],
  ])
  expect(log.warn).toHaveBeenCalledTimes(2)
})
