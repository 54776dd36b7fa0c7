/**
 * The service's work beside requests, each kind by one process at a time: the hourly check of the ledger, the daily
 * comparison of costs, and retention. Invariant: nothing that is under way is deleted, and folded rows keep every balance.
 */
import type { FastifyBaseLogger } from 'fastify'
import { formatRub } from '../contract/money.ts'
import type { DueRows, DueTable, Visit, Worker } from '../platform/database/due-rows.ts'
import type { RetentionConfig } from './config/service-config.ts'
import { checkLedger, storeCheck } from './ledger/check.ts'
import { createRequestId } from './ledger/holds.ts'
import { type Pool, readRows } from './ledger/sql.ts'

const CHECK_INTERVAL_MS = 60 * 60_000
/** A check of a very long ledger comes more rarely: it may take a hundredth of the time. */
const CHECK_PAUSE_FACTOR = 100
/** Work that a stop cuts off is due at once, in another process or at the next start. */
const STOP_MS = 1_000

const ROWS_MAX = 1000
/** The most tasks whose files are removed at once. */
const TASKS_MAX = 50
const RETENTION_INTERVAL_MS = 10 * 60_000
const DAY_MS = 24 * 60 * 60_000

/** A model whose charges of a day are below the costs that its provider reports. */
export interface CostDifference {
  pricedModel: string
  chargedMicroRub: bigint
  reportedMicroRub: bigint
}

export interface UpkeepDeps {
  pool: Pool
  dueRows: DueRows
  config: RetentionConfig
  removeFiles: (names: readonly string[]) => Promise<void>
  onDifference: (difference: CostDifference) => void
  log: Pick<FastifyBaseLogger, 'info' | 'warn' | 'error'>
}

export class Upkeep {
  readonly #deps: UpkeepDeps
  readonly #workers: Worker[] = []

  constructor(deps: UpkeepDeps) {
    this.#deps = deps
  }

  start(): void {
    const { holds_days, media_days } = this.#deps.config
    this.#work({ name: 'service.ledger_check', key: 'id' }, async (_row, signal) => {
      const startedMs = performance.now()
      await this.#checkOnce(signal)
      return Math.max(CHECK_INTERVAL_MS, (performance.now() - startedMs) * CHECK_PAUSE_FACTOR)
    })
    this.#work({ name: 'service.price_watch', key: 'id' }, async () => {
      await this.#compareCosts()
      return DAY_MS
    })
    this.#keep('requests', holds_days, ROWS_MAX, (days) => this.#foldRequests(days))
    this.#keep('media', media_days, TASKS_MAX, (days) => this.#removeMedia(days))
  }

  async stop(): Promise<void> {
    await Promise.all(this.#workers.map((worker) => worker.stop(STOP_MS)))
  }

  #work(table: DueTable, visit: Visit): void {
    this.#workers.push(this.#deps.dueRows.work({ table, concurrency: 1, visit }))
  }

  /** @param remove Deletes at most `limit` rows that ended before so many days, and returns their number. */
  #keep(
    kind: string,
    days: number | undefined,
    limit: number,
    remove: (days: number) => Promise<number>,
  ): void {
    if (days === undefined) return
    const table = { name: 'service.retention', key: 'id', where: `kind = '${kind}'` }
    this.#work(table, async () => {
      const deleted = await remove(days)
      const line = { kind, days, deleted }
      if (deleted > 0) this.#deps.log.info(line, 'what was kept long enough is deleted')
      // After a full batch there may be more.
      return deleted === limit ? 0 : RETENTION_INTERVAL_MS
    })
  }

  async #checkOnce(signal: AbortSignal): Promise<void> {
    const client = await this.#deps.pool.connect()
    // If the connection breaks, its statement fails; without this listener the event would end the process.
    const onError = () => {}
    client.on('error', onError)
    // Nothing else ends a long statement.
    const cut = () => void client.end()
    signal.addEventListener('abort', cut, { once: true })
    try {
      const faults = await checkLedger(client)
      await storeCheck(client, faults)
      const accounts = [...new Set(faults.map(({ accountId }) => accountId))]
      const line = { faults: faults.length, accounts }
      if (faults.length > 0) this.#deps.log.error(line, 'the ledger has faults')
    } finally {
      signal.removeEventListener('abort', cut)
      client.off('error', onError)
      client.release(signal.aborted)
    }
  }

  async #compareCosts(): Promise<void> {
    const { pool, onDifference, log } = this.#deps
    const values = [createRequestId(Date.now() - 2 * DAY_MS)]
    for (const difference of await readRows<CostDifference>(pool, COMPARE, values)) {
      const { pricedModel: model, chargedMicroRub, reportedMicroRub } = difference
      const [chargedRub, reportedRub] = [chargedMicroRub, reportedMicroRub].map(formatRub)
      const what = 'charges of a day are below the costs that the provider reports'
      log.warn({ model, chargedRub, reportedRub }, what)
      onDifference(difference)
    }
  }

  async #foldRequests(days: number): Promise<number> {
    const values = [days, ROWS_MAX, createRequestId(Date.now() - days * DAY_MS)]
    return (await this.#deps.pool.query(FOLD, values)).rowCount ?? 0
  }

  /** Removes the files of tasks before it records that. If it is cut off, the next call repeats it. */
  async #removeMedia(days: number): Promise<number> {
    const { pool, removeFiles } = this.#deps
    const values = [days, TASKS_MAX]
    const { rows } = await pool.query<{ id: number; files: string[] }>(FIND_MEDIA, values)
    await removeFiles(rows.flatMap(({ files }) => files))
    const ids = rows.map(({ id }) => id)
    await pool.query('UPDATE service.task SET media_removed_at = now() WHERE id = ANY ($1)', [ids])
    return rows.length
  }
}

// A charge above the reported cost is the margin of an operator who resells.
const COMPARE = `
  SELECT model AS "pricedModel", sum(cost_micro_rub)::bigint AS "chargedMicroRub",
    sum(reported_cost_micro_rub)::bigint AS "reportedMicroRub"
  FROM service.account CROSS JOIN LATERAL (
    SELECT model, cost_micro_rub, reported_cost_micro_rub FROM service.request
    WHERE account_id = account.id AND request.id > $1 AND ended_at > now() - interval '1 day'
      AND reported_cost_micro_rub IS NOT NULL
    OFFSET 0
  ) AS latest
  GROUP BY model
  HAVING (sum(reported_cost_micro_rub) - sum(cost_micro_rub)) * 20 > sum(reported_cost_micro_rub)
  ORDER BY model`

const FIND_MEDIA = `
  SELECT id, files FROM service.task
  WHERE status = 'success' AND media_removed_at IS NULL AND ended_at < now() - $1 * interval '1 day'
    AND NOT EXISTS (SELECT FROM service.callback WHERE task_id = id AND state = 'pending')
  ORDER BY ended_at LIMIT $2`

// A UUID v7 begins with its time: the oldest requests of each account are the first of the primary key.
const FOLD = `
  WITH old AS (
    SELECT each.* FROM service.account CROSS JOIN LATERAL (
      SELECT account_id, request.id FROM service.request
      WHERE account_id = account.id AND request.id < $3 AND ended_at < now() - $1 * interval '1 day'
      ORDER BY request.id LIMIT $2
    ) AS each LIMIT $2
  ), gone AS (
    DELETE FROM service.request USING old
    WHERE request.account_id = old.account_id AND request.id = old.id RETURNING request.*
  ), folded AS (
    INSERT INTO service.day_sum AS known
    SELECT account_id, (created_at AT TIME ZONE 'UTC')::date, model, key_id, count(*), COALESCE(sum(prompt_tokens), 0),
      COALESCE(sum(completion_tokens), 0), sum(cost_micro_rub), sum(reported_cost_micro_rub),
      COALESCE(sum(cost_micro_rub) FILTER (WHERE reported_cost_micro_rub IS NOT NULL), 0)
    FROM gone GROUP BY 1, 2, 3, 4
    ON CONFLICT ON CONSTRAINT day_sum_pkey DO UPDATE SET
      requests = known.requests + EXCLUDED.requests,
      prompt_tokens = known.prompt_tokens + EXCLUDED.prompt_tokens,
      completion_tokens = known.completion_tokens + EXCLUDED.completion_tokens,
      cost_micro_rub = known.cost_micro_rub + EXCLUDED.cost_micro_rub,
      reported_cost_micro_rub = COALESCE(known.reported_cost_micro_rub + EXCLUDED.reported_cost_micro_rub,
        known.reported_cost_micro_rub, EXCLUDED.reported_cost_micro_rub),
      compared_micro_rub = known.compared_micro_rub + EXCLUDED.compared_micro_rub
  )
  SELECT FROM gone`
