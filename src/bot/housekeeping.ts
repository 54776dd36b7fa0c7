/**
 * Work that the active process repeats: it shows notices, sends the digest, watches the money and deletes old rows.
 *
 * Invariants of deleting:
 * - nothing that is under way is deleted: no turn or order that has not ended, no turn whose reply is being shown;
 * - a question goes with its answer;
 * - no charge is touched. It loses what it was for, as after `/forget`, so every sum stays the sum of its charges;
 * - the one clock is the database's.
 */
import type { Pool } from 'pg'
import type { Logger } from 'pino'
import type { TroubleLog } from '../platform/fold-repeats.ts'
import type { Clock } from '../platform/time/clock.ts'
import { settleWithin } from '../platform/time/graceful-stop.ts'

const NOTICES_INTERVAL_MS = 1_000
/** Admins may set another hour at any time. */
const DIGEST_INTERVAL_MS = 60_000
const MONEY_INTERVAL_MS = 5 * 60_000
/** How long `stop()` waits for work under way. The next active process does it again. */
const STOP_MS = 5_000

export interface HousekeepingDeps {
  showNotices: (signal: AbortSignal) => Promise<void>
  watchMoney: () => Promise<void>
  sendDigest: (signal: AbortSignal) => Promise<void>
  deleteOld: (signal: AbortSignal) => Promise<void>
  clock: Clock
  log: Pick<TroubleLog, 'warn'>
}

export function createHousekeeping(deps: HousekeepingDeps) {
  const { clock, log } = deps
  let loops: Promise<void>[] = []
  return { start, whenStopped: () => settleWithin(loops, STOP_MS) }

  function start(signal: AbortSignal): void {
    loops = [
      repeat('show notices', () => deps.showNotices(signal), NOTICES_INTERVAL_MS),
      repeat('send the digest', () => deps.sendDigest(signal), DIGEST_INTERVAL_MS),
      repeat('watch the money', () => watchAndClean(signal), MONEY_INTERVAL_MS),
    ]

    async function repeat(action: string, step: () => Promise<void>, intervalMs: number) {
      // The end of the role ends each wait.
      const wait = (ms: number) => clock.sleep(ms, signal).catch(() => {})
      await wait(Math.min(intervalMs, DIGEST_INTERVAL_MS))
      while (!signal.aborted) {
        await step().catch((error: unknown) => {
          if (!signal.aborted) log.warn({ err: error, action }, 'repeated work failed')
        })
        await wait(intervalMs)
      }
    }
  }

  async function watchAndClean(signal: AbortSignal): Promise<void> {
    await deps.watchMoney()
    await deps.deleteOld(signal)
  }
}

/** Days after which rows are deleted; undefined keeps them forever. */
export interface BotRetention {
  /** Turns with the texts of their files, after their end: neither users nor models can read them afterwards. */
  turns?: number | undefined
  /** Orders, after their end: `/orders` and the buttons below a result cannot find them afterwards. */
  orders?: number | undefined
  changes?: number | undefined
}

const CARD_DAYS = 1
const ROWS_MAX = 1000
const BATCHES_MAX = 10

const AGE = "now() - $1 * interval '1 day'"

// Locked rows are left for the next run. A turn is locked before its messages, everywhere.
const DELETE_OLD: Readonly<Record<keyof BotRetention | 'cards', string>> = {
  turns: `
    WITH old AS MATERIALIZED (
      SELECT id FROM bot.turn WHERE created_at < ${AGE} AND ended_at < ${AGE} AND lease_owner IS NULL
      ORDER BY created_at LIMIT $2 FOR UPDATE SKIP LOCKED
    ), messages AS (DELETE FROM bot.message WHERE turn_id IN (SELECT id FROM old))
    DELETE FROM bot.turn WHERE id IN (SELECT id FROM old)`,
  orders: `
    DELETE FROM bot."order" WHERE id IN (
      SELECT id FROM bot."order" WHERE ended_at < ${AGE}
      ORDER BY ended_at LIMIT $2 FOR UPDATE SKIP LOCKED)`,
  cards: `
    DELETE FROM bot."order" WHERE id IN (
      SELECT id FROM bot."order" WHERE state = 'draft' AND created_at < ${AGE}
      LIMIT $2 FOR UPDATE SKIP LOCKED)`,
  changes: `
    DELETE FROM bot.change WHERE id IN (
      SELECT id FROM bot.change WHERE created_at < ${AGE}
      ORDER BY created_at LIMIT $2 FOR UPDATE SKIP LOCKED)`,
}

/** Deletes cards after a day, and rows that are older than the operator allows. */
export async function deleteOld(
  { pool, settings, log }: RetentionApp,
  signal: AbortSignal,
): Promise<void> {
  const kept = { ...settings.retention, cards: CARD_DAYS }
  for (const [kind, statement] of Object.entries(DELETE_OLD)) {
    const days = kept[kind as keyof typeof DELETE_OLD]
    let deleted = 0
    for (let batches = 0; days !== undefined && batches < BATCHES_MAX; batches += 1) {
      if (signal.aborted) return
      const { rowCount } = await pool.query(statement, [days, ROWS_MAX])
      deleted += rowCount ?? 0
      if (rowCount !== ROWS_MAX) break
    }
    if (deleted > 0) log.info({ kind, days, deleted }, 'what was kept long enough is deleted')
  }
}

interface RetentionApp {
  pool: Pick<Pool, 'query'>
  settings: { retention?: BotRetention | undefined }
  log: Pick<Logger, 'info'>
}
