import type { FastifyBaseLogger } from 'fastify'
import type { DueRows, Worker } from '../../platform/jobs/due-rows.ts'
import type { RetentionConfig } from '../config/retention-config.ts'
import type { Sql } from '../ledger/sql.ts'
import { deleteOldAttempts, deleteOldHolds, type OldRows, removeOldMedia } from './delete-old.ts'

const ROWS_MAX = 1000
/** The most tasks whose files are removed at once: in a bucket each file takes a request. */
const TASKS_MAX = 50
/** The pause after a batch that was not full. */
const LOOK_INTERVAL_MS = 10 * 60_000

interface Kept {
  kind: 'callback_attempts' | 'holds' | 'media'
  days: number | undefined
  limit: number
  deleteOld(old: OldRows): Promise<number>
}

export interface RetentionDeps {
  sql: Sql
  dueRows: DueRows
  config: RetentionConfig
  removeFiles: (names: readonly string[]) => Promise<void>
  log: Pick<FastifyBaseLogger, 'info'>
}

/**
 * Deletes rows that were kept as long as the operator's settings say. One process at a time works on a kind,
 * by the lease of its row.
 */
export function createRetention({ sql, dueRows, config, removeFiles, log }: RetentionDeps) {
  const all: readonly Kept[] = [
    {
      kind: 'callback_attempts',
      days: config.callback_attempts_days,
      limit: ROWS_MAX,
      deleteOld: (old) => deleteOldAttempts(sql, old),
    },
    {
      kind: 'holds',
      days: config.holds_days,
      limit: ROWS_MAX,
      deleteOld: (old) => deleteOldHolds(sql, old),
    },
    {
      kind: 'media',
      days: config.media_days,
      limit: TASKS_MAX,
      deleteOld: (old) => removeOldMedia(sql, old, removeFiles),
    },
  ]
  let workers: Worker[] = []
  return { start, stop }

  function start(): void {
    workers = all.flatMap(({ days, ...kept }) => (days === undefined ? [] : work(kept, days)))
  }

  async function stop(timeoutMs: number): Promise<void> {
    await Promise.all(workers.map((worker) => worker.stop(timeoutMs)))
  }

  function work({ kind, limit, deleteOld }: Omit<Kept, 'days'>, days: number): Worker {
    return dueRows.work({
      table: { name: 'service.retention', key: 'id', where: `kind = '${kind}'` },
      concurrency: 1,
      visit: async () => {
        const deleted = await deleteOld({ days, limit })
        if (deleted > 0) log.info({ kind, days, deleted }, 'what was kept long enough is deleted')
        // After a full batch there may be more.
        return deleted === limit ? 0 : LOOK_INTERVAL_MS
      },
    })
  }
}
