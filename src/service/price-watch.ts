/**
 * Keeps prices and costs true, once a day in one of the processes.
 * In: the row `service.price_watch`, with the prices that count, and the requests of a day. Out: newer prices, for which this
 * process asks, and the models whose charges differ from what their providers report.
 * Invariant: all processes sell at the prices in the row; each reads it at its start and when another has changed it.
 */
import type { Pool } from 'pg'
import { v7 as uuidV7 } from 'uuid'
import { formatRub } from '../contract/money.ts'
import type { Notifications } from '../platform/database/instance/notifications.ts'
import type { DueRows, Worker } from '../platform/jobs/due-rows.ts'
import {
  type KnownPrices,
  readKnownPrices,
  writeKnownPrices,
} from './config/openai/judge-prices.ts'

const DAY_MS = 24 * 60 * 60_000
/** After an upstream that did not list its prices. */
const AGAIN_MS = 60 * 60_000
const STOP_MS = 1_000
const CHANNEL = 'service.price'

/** A model whose charges of a day are not what its provider reports. */
export interface CostDifference {
  pricedModel: string
  chargedMicroRub: bigint
  reportedMicroRub: bigint
}

/** The prices of a key alone, in this process. */
export interface AskedPrices {
  notifications: Pick<Notifications, 'listen'>
  baseUrl(): string
  /** Asks the upstream for newer prices and sells by them. @returns False if it gave none. */
  ask(): Promise<boolean>
  /** Sells by prices that another process has stored. */
  recall(known: KnownPrices): Promise<unknown>
}

export interface PriceWatchDeps {
  pool: Pick<Pool, 'query'>
  dueRows: DueRows
  asked?: AskedPrices | undefined
  onDifference: (difference: CostDifference) => void
  log: {
    warn(fields: object, message: string): void
    error(fields: object, message: string): void
  }
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

export function createPriceWatch(deps: PriceWatchDeps) {
  const { pool, dueRows, asked, onDifference, log } = deps
  let worker: Worker | undefined
  return { start, stop }

  function start(): void {
    worker = dueRows.work({
      table: { name: 'service.price_watch', key: 'id' },
      concurrency: 1,
      visit: async () => {
        await compareCosts()
        return asked === undefined || (await asked.ask()) ? DAY_MS : AGAIN_MS
      },
    })
    if (asked === undefined) return
    const take = () => void takeStored(asked)
    asked.notifications.listen(CHANNEL, { onNotification: take, onGap: take })
  }

  async function stop(): Promise<void> {
    await worker?.stop(STOP_MS)
  }

  async function takeStored(asked: AskedPrices): Promise<void> {
    try {
      const known = await readStoredPrices(pool, asked.baseUrl())
      if (known !== undefined) await asked.recall(known)
    } catch (error) {
      log.error({ err: error }, 'prices of another process not read, the old ones stay')
    }
  }

  async function compareCosts(): Promise<void> {
    const { rows } = await pool.query<{ pricedModel: string; charged: string; reported: string }>(
      COMPARE,
      [uuidV7({ msecs: Date.now() - 2 * DAY_MS })],
    )
    for (const { pricedModel, charged, reported } of rows) {
      const [chargedMicroRub, reportedMicroRub] = [BigInt(charged), BigInt(reported)] as const
      log.warn(
        {
          model: pricedModel,
          chargedRub: formatRub(chargedMicroRub),
          reportedRub: formatRub(reportedMicroRub),
        },
        'charges of a day differ from the costs that the provider reports',
      )
      onDifference({ pricedModel, chargedMicroRub, reportedMicroRub })
    }
  }
}

/** Reads the prices that count for an upstream. @returns Undefined before they are stored. */
export async function readStoredPrices(
  pool: Pick<Pool, 'query'>,
  baseUrl: string,
): Promise<KnownPrices | undefined> {
  const { rows } = await pool.query<{ prices: string }>(
    'SELECT prices::text AS prices FROM service.price_watch WHERE base_url = $1',
    [baseUrl],
  )
  const [row] = rows
  return row && readKnownPrices(row.prices)
}

/** Stores the prices that count for an upstream, and notifies the other processes. */
export async function storePrices(
  pool: Pick<Pool, 'query'>,
  baseUrl: string,
  known: KnownPrices,
): Promise<void> {
  await pool.query(
    `WITH stored AS (
       UPDATE service.price_watch SET base_url = $1, prices = $2, asked_at = now() RETURNING id
     ) SELECT pg_notify('${CHANNEL}', '') FROM stored`,
    [baseUrl, writeKnownPrices(known)],
  )
}
