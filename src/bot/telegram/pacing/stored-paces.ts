import type { Pool } from 'pg'
import type { Logger } from 'pino'
import type { Notifications } from '../../../platform/database/instance/notifications.ts'
import type { Clock } from '../../../platform/time/clock.ts'
import { errorFacts } from '../error-facts.ts'

const CALLS_CHANNEL = 'bot_calls'
/** How late other processes hear of a call: those of all chats share a statement. */
const LATE_MS_MAX = 100
const WINDOW_MS = 60_000
/** So many calls fit into a notification of 8,000 bytes. */
const CALLS_MAX = 200

/** A call to Telegram that showed something in a chat. */
export interface ChatCallTime {
  chatId: number
  /** When it had its answer, by the clock of this process. */
  at: number
}

export interface StoredPacesDeps {
  pool: Pick<Pool, 'query'>
  notifications: Pick<Notifications, 'listen'>
  instanceId: number
  clock: Clock
  log: Logger
}

/**
 * Shares the calls to chats with the processes that run beside this one, and with those that start later: a chat has
 * one pace, whoever calls. A call counts there a tenth of a second late; a process ended by then takes it along.
 */
export function createStoredPaces(deps: StoredPacesDeps) {
  const { pool, notifications, instanceId, clock, log } = deps
  let pending: ChatCallTime[] = []
  let passOn = (_call: ChatCallTime) => {}
  /**
   * What was heard while the calls of the last minute were not read: a pace counts calls in their order, and would hold
   * a chat for a second for each that comes after a later one.
   */
  let early: string[] | undefined = []
  notifications.listen(CALLS_CHANNEL, {
    onNotification: (payload) => take(payload),
    // What went meanwhile is not counted: at worst Telegram asks to wait.
    onGap: () => {},
  })
  return {
    /** Never waits and never throws. */
    record: (chatId: number) => {
      if (pending.length === 0) void storeLater()
      pending.push({ chatId, at: clock.now() })
    },
    onCall: (listener: (call: ChatCallTime) => void) => {
      passOn = listener
    },
    read,
  }

  async function storeLater(): Promise<void> {
    await clock.sleep(LATE_MS_MAX)
    const calls = pending
    pending = []
    try {
      for (let from = 0; from < calls.length; from += CALLS_MAX) {
        await store(calls.slice(from, from + CALLS_MAX))
      }
    } catch (error) {
      // The others call as often as they would without this process.
      log.warn({ ...errorFacts(error), calls: calls.length }, 'calls to chats not shared')
    }
  }

  async function store(calls: readonly ChatCallTime[]): Promise<void> {
    const now = clock.now()
    const chatIds = calls.map(({ chatId }) => chatId)
    const agesMs = calls.map(({ at }) => Math.round(now - at))
    const payload = calls.map(({ chatId }, index) => `${chatId},${agesMs[index]}`).join(' ')
    await pool.query(RECORD, [chatIds, agesMs, `${instanceId} ${payload}`])
  }

  /** Passes on the calls of the last minute, once. Until then no other is passed on. */
  async function read(): Promise<void> {
    // What was heard before is stored, and read with the rest.
    const heard: string[] = []
    early = heard
    const { rows } = await pool.query<{ chatId: string; ageMs: number }>(READ)
    for (const { chatId, ageMs } of rows) pass(Number(chatId), ageMs)
    early = undefined
    for (const payload of heard) take(payload)
  }

  function take(payload: string): void {
    if (early !== undefined) {
      early.push(payload)
      return
    }
    const [recorder, ...calls] = payload.split(' ')
    if (recorder === String(instanceId)) return
    for (const call of calls) {
      const [chatId = Number.NaN, ageMs = 0] = call.split(',').map(Number)
      pass(chatId, ageMs)
    }
  }

  function pass(chatId: number, ageMs: number): void {
    passOn({ chatId, at: clock.now() - ageMs })
  }
}

export type StoredPaces = ReturnType<typeof createStoredPaces>

const RECENT = `SELECT at FROM unnest(known.called_at) AS at
  WHERE at > clock_timestamp() - interval '${WINDOW_MS} ms'`

/** Locks the chats in their order; those that nothing was sent to for a minute are left out. */
const RECORD = `
  WITH called AS (
    SELECT chat_id, array_agg(at ORDER BY at) AS called_at, max(at) AS last_at
    FROM (
      SELECT chat_id, clock_timestamp() - age_ms * interval '1 ms' AS at
      FROM unnest($1::bigint[], $2::int[]) AS call (chat_id, age_ms)
    ) AS call GROUP BY chat_id
  ), over AS (
    DELETE FROM bot.chat_pace WHERE chat_id IN (
      SELECT chat_id FROM bot.chat_pace
      WHERE last_at <= clock_timestamp() - interval '${WINDOW_MS} ms' AND chat_id <> ALL ($1)
      ORDER BY chat_id LIMIT 100 FOR UPDATE SKIP LOCKED)
  ), stored AS (
    INSERT INTO bot.chat_pace AS known (chat_id, called_at, last_at)
    SELECT chat_id, called_at, last_at FROM called ORDER BY chat_id
    ON CONFLICT (chat_id) DO UPDATE SET called_at = ARRAY(${RECENT}) || excluded.called_at,
      last_at = greatest(known.last_at, excluded.last_at)
    RETURNING chat_id
  )
  SELECT pg_notify('${CALLS_CHANNEL}', $3) FROM (SELECT count(*) FROM stored) AS counted`

const READ = `
  SELECT chat_id AS "chatId",
    round(extract(epoch FROM clock_timestamp() - at) * 1000)::float8 AS "ageMs"
  FROM bot.chat_pace, unnest(called_at) AS at
  WHERE at > clock_timestamp() - interval '${WINDOW_MS} ms' ORDER BY at`
