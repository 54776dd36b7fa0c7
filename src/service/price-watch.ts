/**
 * Keeps prices and costs true.
 * In: the row `service.price_watch`, and the requests of a day. Out: the prices of a key that count, which outlive a process,
 * and once a day, from one of the processes, the models whose charges differ from what their providers report.
 */
import type { Pool } from 'pg'
import { v7 as uuidV7 } from 'uuid'
import { formatRub } from '../contract/money.ts'
import type { DueRows, Worker } from '../platform/jobs/due-rows.ts'
import type { FoundPrice, KnownPrices } from './config/openai/offer-models.ts'
import { RATES } from './config/price-fields.ts'

const DAY_MS = 24 * 60 * 60_000

/** A model whose charges of a day are not what its provider reports. */
export interface CostDifference {
  pricedModel: string
  chargedMicroRub: bigint
  reportedMicroRub: bigint
}

interface PriceWatchDeps {
  pool: Pick<Pool, 'query'>
  dueRows: DueRows
  onDifference: (difference: CostDifference) => void
  log: { warn(fields: object, message: string): void }
}

/**
 * The costs of a day, compared with those of the upstream where they are configured: a margin is no difference. Ids begin
 * with the time, so that the primary key finds each account's latest requests.
 */
const COMPARE = `
  SELECT model AS "pricedModel", sum(COALESCE(upstream_cost_micro_rub, cost_micro_rub))::bigint AS charged,
    sum(reported_cost_micro_rub)::bigint AS reported
  FROM service.account CROSS JOIN LATERAL (
    SELECT model, upstream_cost_micro_rub, cost_micro_rub, reported_cost_micro_rub FROM service.request
    WHERE account_id = account.id AND request.id > $1 AND ended_at > now() - interval '1 day'
      AND reported_cost_micro_rub IS NOT NULL
    OFFSET 0
  ) AS latest
  GROUP BY model
  HAVING abs(sum(COALESCE(upstream_cost_micro_rub, cost_micro_rub)) - sum(reported_cost_micro_rub)) * 20
    > sum(reported_cost_micro_rub)
  ORDER BY model`

/** Compares charges with reported costs once a day, until the returned worker is stopped. */
export function watchCosts({ pool, dueRows, onDifference, log }: PriceWatchDeps): Worker {
  return dueRows.work({
    table: { name: 'service.price_watch', key: 'id' },
    concurrency: 1,
    visit: async () => {
      await compareCosts()
      return DAY_MS
    },
  })

  async function compareCosts(): Promise<void> {
    const { rows } = await pool.query<{ pricedModel: string; charged: string; reported: string }>(
      COMPARE,
      [uuidV7({ msecs: Date.now() - 2 * DAY_MS })],
    )
    for (const { pricedModel, charged, reported } of rows) {
      const [chargedMicroRub, reportedMicroRub] = [BigInt(charged), BigInt(reported)] as const
      const sums = {
        chargedRub: formatRub(chargedMicroRub),
        reportedRub: formatRub(reportedMicroRub),
      }
      const what = 'charges of a day differ from the costs that the provider reports'
      log.warn({ model: pricedModel, ...sums }, what)
      onDifference({ pricedModel, chargedMicroRub, reportedMicroRub })
    }
  }
}

/** The prices that count for the upstream of a key, over all processes and their starts. */
export interface PriceStore {
  load(baseUrl: string): Promise<KnownPrices>
  save(baseUrl: string, known: KnownPrices): Promise<void>
}

export function createPriceStore(pool: Pick<Pool, 'query'>): PriceStore {
  return { load, save }

  async function load(baseUrl: string): Promise<KnownPrices> {
    const { rows } = await pool.query<{ prices: string }>(
      'SELECT prices::text AS prices FROM service.price_watch WHERE base_url = $1',
      [baseUrl],
    )
    const isRate = (key: string) => RATES.some((rate) => rate === key)
    // JSON has no whole numbers of this size.
    const found: Record<string, FoundPrice> = JSON.parse(rows[0]?.prices ?? '{}', (key, value) =>
      isRate(key) ? BigInt(value) : value,
    )
    return new Map(Object.entries(found))
  }

  async function save(baseUrl: string, known: KnownPrices): Promise<void> {
    const prices = JSON.stringify(Object.fromEntries(known), (_, value: unknown) =>
      typeof value === 'bigint' ? value.toString() : value,
    )
    await pool.query(
      'UPDATE service.price_watch SET base_url = $1, prices = $2, asked_at = now()',
      [baseUrl, prices],
    )
  }
}
