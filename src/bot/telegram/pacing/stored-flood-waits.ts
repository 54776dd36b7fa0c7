import type { Pool } from 'pg'
import type { Logger } from 'pino'
import type { Notifications } from '../../../database/notifications.ts'
import { errorFacts } from '../../error-facts.ts'
import type { FloodWait } from './send-scheduler.ts'

/** Told to every process when one was asked for a long rest. */
const REST_CHANNEL = 'bot_flood_rest'

/** A shorter rest is over before another process could break it. */
const LONG_MS = 10_000

/** What processes know of floodWaits beside what they were asked for themselves. */
export interface SharedFloodWaits {
  /** Tells the others, and whoever comes after this process. */
  note(rest: FloodWait): void
  /** Has every rest told that others note. There is one listener. */
  onFloodWait(listener: (rest: FloodWait) => void): void
}

export interface StoredFloodWaitsDeps {
  pool: Pick<Pool, 'query'>
  notifications: Pick<Notifications, 'listen'>
  instanceId: number
  log: Logger
}

/**
 * Long floodWaits in the database: a call during a flood ban makes it longer, and a ban outlives the
 * process that was told of it.
 */
export function createStoredFloodWaits({
  pool,
  notifications,
  instanceId,
  log,
}: StoredFloodWaitsDeps) {
  /** Ends of the floodWaits that were told here, by their chats: each rest is one lesson. */
  let known = new Map<number, number>()
  let tell = (_rest: FloodWait) => {}
  const readLater = () => void read().catch(warn)
  notifications.listen(REST_CHANNEL, {
    onNotification: (noter) => {
      if (noter !== String(instanceId)) readLater()
    },
    onGap: readLater,
  })
  return {
    note: (rest: FloodWait) => {
      if (rest.restMs >= LONG_MS) void store(rest).catch(warn)
    },
    onFloodWait: (listener: (rest: FloodWait) => void) => {
      tell = listener
    },
    read,
  }

  async function store({ chatId, restMs }: FloodWait): Promise<void> {
    await pool.query(NOTE, [chatId, restMs, instanceId])
    await read()
  }

  /** Tells what other processes noted and is news, and removes what is over. */
  async function read(): Promise<void> {
    const { rows } = await pool.query<RestRow>(READ, [instanceId])
    const before = known
    known = new Map(rows.map(({ chatId, until }) => [Number(chatId), until.getTime()]))
    for (const { chatId, until, restMs } of rows) {
      if (before.get(Number(chatId)) === until.getTime()) continue
      tell({ chatId: Number(chatId), restMs })
    }
  }

  function warn(error: unknown): void {
    // Whoever did not hear of a rest learns it with one call, as without a database.
    log.warn(errorFacts(error), 'flood rest not shared')
  }
}

interface RestRow {
  chatId: string
  until: Date
  restMs: number
}

const NOTE = `
  WITH noted AS (
    INSERT INTO bot.flood_rest AS known (chat_id, until, instance_id)
    VALUES ($1, clock_timestamp() + $2 * interval '1 ms', $3)
    ON CONFLICT (chat_id) DO UPDATE
      SET until = excluded.until, instance_id = excluded.instance_id
      WHERE excluded.until > known.until
    RETURNING instance_id
  )
  SELECT pg_notify('${REST_CHANNEL}', instance_id::text) FROM noted`

const READ = `
  WITH over AS (
    DELETE FROM bot.flood_rest WHERE chat_id IN (
      SELECT chat_id FROM bot.flood_rest WHERE until <= clock_timestamp() FOR UPDATE SKIP LOCKED)
  )
  SELECT chat_id AS "chatId", until,
    ceil(extract(epoch FROM until - clock_timestamp()) * 1000)::float8 AS "restMs"
  FROM bot.flood_rest WHERE until > clock_timestamp() AND instance_id <> $1`
