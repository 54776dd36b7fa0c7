import type { Pool } from 'pg'
import type { Logger } from 'pino'
import type { Notifications } from '../../../platform/database/instance/notifications.ts'
import { errorFacts } from '../error-facts.ts'
import type { FloodWait } from './chat-queue.ts'

const FLOOD_WAIT_CHANNEL = 'bot_flood_wait'

/** A shorter wait is over before another process could break it. */
const LONG_MS = 10_000

export interface StoredFloodWaitsDeps {
  pool: Pick<Pool, 'query'>
  notifications: Pick<Notifications, 'listen'>
  instanceId: number
  log: Logger
}

/**
 * Long flood waits in the database: a call during one makes it longer, and it outlives the process
 * that learnt of it.
 */
export function createStoredFloodWaits(deps: StoredFloodWaitsDeps) {
  const { pool, notifications, instanceId, log } = deps
  let known = new Map<number, number>()
  let passOn = (_floodWait: FloodWait) => {}
  const readLater = () => void read().catch(warn)
  notifications.listen(FLOOD_WAIT_CHANNEL, {
    onNotification: (recorder) => {
      if (recorder !== String(instanceId)) readLater()
    },
    onGap: readLater,
  })
  return {
    record: (floodWait: FloodWait) => {
      if (floodWait.retryAfterMs >= LONG_MS) void store(floodWait).catch(warn)
    },
    onFloodWait: (listener: (floodWait: FloodWait) => void) => {
      passOn = listener
    },
    read,
  }

  async function store({ chatId, retryAfterMs }: FloodWait): Promise<void> {
    await pool.query(RECORD, [chatId, retryAfterMs, instanceId])
    await read()
  }

  async function read(): Promise<void> {
    const { rows } = await pool.query<FloodWaitRow>(READ, [instanceId])
    const before = known
    known = new Map(rows.map(({ chatId, until }) => [Number(chatId), until.getTime()]))
    for (const { chatId, until, retryAfterMs } of rows) {
      if (before.get(Number(chatId)) === until.getTime()) continue
      passOn({ chatId: Number(chatId), retryAfterMs })
    }
  }

  function warn(error: unknown): void {
    // A process that did not hear of a wait learns it by one call, as without a database.
    log.warn(errorFacts(error), 'flood wait not shared')
  }
}

export type StoredFloodWaits = ReturnType<typeof createStoredFloodWaits>

interface FloodWaitRow {
  chatId: string
  until: Date
  retryAfterMs: number
}

const RECORD = `
  WITH recorded AS (
    INSERT INTO bot.flood_wait AS known (chat_id, until, noted_by)
    VALUES ($1, clock_timestamp() + $2 * interval '1 ms', $3)
    ON CONFLICT (chat_id) DO UPDATE SET until = excluded.until, noted_by = excluded.noted_by
      WHERE excluded.until > known.until
    RETURNING noted_by
  )
  SELECT pg_notify('${FLOOD_WAIT_CHANNEL}', noted_by::text) FROM recorded`

const READ = `
  WITH over AS (
    DELETE FROM bot.flood_wait WHERE chat_id IN (
      SELECT chat_id FROM bot.flood_wait WHERE until <= clock_timestamp() FOR UPDATE SKIP LOCKED)
  )
  SELECT chat_id AS "chatId", until,
    ceil(extract(epoch FROM until - clock_timestamp()) * 1000)::float8 AS "retryAfterMs"
  FROM bot.flood_wait WHERE until > clock_timestamp() AND noted_by <> $1`
