import type { Update } from 'grammy/types'
import type { Pool } from 'pg'
import { isEndedSql } from '../../../platform/database/instance/instance-row.ts'
import { type TelegramClock, toDatabaseTime } from '../telegram-clock.ts'

/** The channel that notifies every process when there may be an update for it. */
export const INBOX_CHANNEL = 'bot_inbox'

/** A message that may be a part of another one holds up its conversation, but not for longer. */
const PARTS_MS_MAX = 5_000
const PARTS_MAX = 20
/** How far back the newest update is looked for that makes a gap an old one. */
const GAPS_WINDOW_S = 60
/** The age of a message from which on its user may not wait for an answer any more. */
const LATE_AFTER = '1 hour'
/** How long a handled update is kept: it can come again after a crash, or if our answer did not arrive. */
const KEPT_FOR = '1 day'

const UNIQUE_VIOLATION = '23505'

/** An update on its way into the store. */
export interface NewUpdate {
  update: Update
  /** The conversation whose updates are handled one after the other; missing: it waits for nothing. */
  conversationKey: string | undefined
  /** By Telegram's clock; now where it is missing. */
  sentAt: Date | undefined
  waitMs: number
}

/** An update that this process has to handle. */
export interface LeasedUpdate {
  update: Update
  isFirst: boolean
  /** Leased only to be recorded: another one has its conversation's turn, or waits for it. */
  isBeside: boolean
  isLate: boolean
  next: Update[]
}

interface StoreDeps {
  pool: Pool
  instanceId: number
  telegramNow?: TelegramClock['now'] | undefined
}

export interface Leased {
  updates: LeasedUpdate[]
  nextInMs: number | null
}

/**
 * The statements that an update's life is made of: stored, leased, recorded, released, handled.
 *
 * Of one conversation at most one update is being recorded, in the order in which they were sent, and at most
 * one has the turn, in the order in which they were recorded (`noted_at`). Two indexes see to it. Longer than 300 lines because
 * these statements guard that one invariant together: each is read beside the others.
 */
export function createStoredUpdates({
  pool,
  instanceId,
  telegramNow = () => undefined,
}: StoreDeps) {
  return {
    add,
    addHandled,
    lease,
    record,
    release,
    end,
    giveBack,
    giveBackAllBut,
    notifyOthers,
    takeOver,
    purge,
  }

  /**
   * Stores updates, and leases at once those that wait for nothing. Safe to repeat.
   *
   * @param leases Whether it leases any; only where updates are stored in the order of their ids.
   * @returns What was leased.
   */
  async function add(
    updates: readonly NewUpdate[],
    { leases = false } = {},
  ): Promise<LeasedUpdate[]> {
    const payloads = updates.map(({ update }) => toJson(update))
    const { rows } = await pool.query<{ id: string; isLeased: boolean; isLate: boolean }>({
      name: 'update_add',
      text: ADD,
      values: [
        updates.map(({ update }) => update.update_id),
        payloads,
        updates.map(({ conversationKey }) => conversationKey ?? null),
        updates.map(({ sentAt }) => sentAt ?? null),
        updates.map(({ waitMs }) => waitMs),
        leases ? instanceId : null,
        telegramNow() ?? null,
      ],
    })
    const added = new Map(rows.map((row) => [Number(row.id), row]))
    // Known before, or another process leased one of its conversation at the same moment.
    const left = updates.filter(({ update }) => !added.has(update.update_id))
    if (leases && left.length > 0) await add(left)
    return updates.flatMap(({ update }, index) => {
      const row = added.get(update.update_id)
      if (!row?.isLeased) return []
      const stored = JSON.parse(payloads[index] ?? '') as Update
      const { isLate } = row
      return { update: stored, isFirst: true, isBeside: false, isLate, next: [] }
    })
  }

  /** Records an update of which only the id is known, so that none after it waits for it. */
  async function addHandled(id: number): Promise<void> {
    await pool.query(
      `INSERT INTO bot.update (id, released_at, handled_at) VALUES ($1, now(), now())
       ON CONFLICT DO NOTHING`,
      [id],
    )
  }

  /**
   * Leases what may be handled now: of each conversation the first that is to be recorded and, when the one
   * before it is released, the first that has been; what waits for nothing; what was left in the middle.
   *
   * @param gapMs How long an update waits for those with smaller ids that are not there yet; 0: not at all.
   */
  async function lease({ limit, gapMs }: { limit: number; gapMs: number }): Promise<Leased> {
    try {
      const { rows } = await pool.query<Leased>({
        name: 'update_lease',
        text: LEASE,
        values: [instanceId, limit, gapMs],
      })
      return rows[0] ?? { updates: [], nextInMs: 0 }
    } catch (error) {
      // Another process leased one of them at the same moment.
      if ((error as { code?: unknown }).code === UNIQUE_VIOLATION) {
        return { updates: [], nextInMs: 0 }
      }
      throw error
    }
  }

  /** Lets those after a leased update be recorded. Ends the lease of one that has to wait for its turn. */
  function record(leased: LeasedUpdate): Promise<boolean> {
    return change(leased, {
      name: 'update_record',
      changes: `noted_at = coalesce(noted_at, clock_timestamp()),
        lease_owner = CASE WHEN is_beside THEN NULL ELSE lease_owner END`,
    })
  }

  function release(leased: LeasedUpdate): Promise<boolean> {
    return change(leased, { name: 'update_release', changes: 'released_at = now()' })
  }

  function end(leased: LeasedUpdate): Promise<boolean> {
    return change(leased, {
      name: 'update_end',
      changes: `released_at = coalesce(released_at, now()), handled_at = now(),
        lease_owner = NULL, payload = NULL`,
    })
  }

  async function change(
    { update, next }: LeasedUpdate,
    { name, changes }: { name: string; changes: string },
  ): Promise<boolean> {
    const { rows } = await pool.query<{ isFollowed: boolean }>({
      name,
      text: `UPDATE bot.update AS own SET ${changes}
        WHERE id = $1 AND lease_owner = $2 OR id = ANY ($3::bigint[]) AND part_of = $1
        RETURNING ${IS_FOLLOWED} AS "isFollowed"`,
      values: [update.update_id, instanceId, next.map(({ update_id }) => update_id)],
    })
    // Where it is not known, it may be.
    return rows.some(({ isFollowed }) => isFollowed) || rows.length === 0
  }

  function giveBack(id: number): Promise<void> {
    return giveBackWhere('id = ANY ($2::bigint[])', [id])
  }

  function giveBackAllBut(ids: readonly number[]): Promise<void> {
    return giveBackWhere('id <> ALL ($2::bigint[])', ids)
  }

  async function giveBackWhere(condition: string, ids: readonly number[]): Promise<void> {
    await pool.query(
      `WITH given AS (
         UPDATE bot.update SET lease_owner = NULL WHERE lease_owner = $1 AND ${condition}
         RETURNING id)
       SELECT pg_notify('${INBOX_CHANNEL}', '') FROM given LIMIT 1`,
      [instanceId, ids],
    )
  }

  async function notifyOthers(): Promise<void> {
    await pool.query(`SELECT pg_notify('${INBOX_CHANNEL}', '')`)
  }

  async function takeOver(): Promise<void> {
    await pool.query(
      `UPDATE bot.update SET lease_owner = NULL
       WHERE lease_owner <> $1 AND ${isEndedSql('lease_owner')}`,
      [instanceId],
    )
  }

  /**
   * Forgets what was handled long ago, but never the newest: it shows that the next one follows
   * without a gap.
   */
  async function purge(): Promise<void> {
    await pool.query(
      `DELETE FROM bot.update
       WHERE received_at < now() - $1::interval AND handled_at < now() - $1::interval
         AND id <> (SELECT id FROM bot.update ORDER BY received_at DESC, id DESC LIMIT 1)`,
      [KEPT_FOR],
    )
  }
}

export type StoredUpdates = ReturnType<typeof createStoredUpdates>

/** True if an update called `own` is followed by another one that waits for it; `begin-turn.ts` asks the same. */
const IS_FOLLOWED = `EXISTS (
  SELECT FROM bot.update AS other
  WHERE other.conversation_key = own.conversation_key AND other.released_at IS NULL
    AND other.id <> own.id AND other.part_of IS DISTINCT FROM own.id)`

const IN_THE_WAY = `o.conversation_key = u.conversation_key AND o.released_at IS NULL
  AND o.part_of IS NULL AND o.id <> u.id`

/**
 * Leased at once is what would be the first that a look finds: it waits for no more of its prompt, and nothing else of
 * its conversation is there, neither in the store nor beside it.
 */
const ADD = `
  INSERT INTO bot.update (id, payload, conversation_key, sent_at, ready_at, lease_owner, leased_at)
  SELECT id, payload, conversation_key, coalesce(${toDatabaseTime('sent_at', '$7')}, now()),
         date_trunc('milliseconds', now()) + wait_ms * interval '1 ms',
         CASE WHEN is_free THEN $6::int END, CASE WHEN is_free THEN now() END
  FROM (
    SELECT u.*, wait_ms = 0 AND (conversation_key IS NULL
      OR count(*) OVER (PARTITION BY conversation_key) = 1
        AND NOT EXISTS (SELECT FROM bot.update o WHERE ${IN_THE_WAY})) AS is_free
    FROM unnest($1::bigint[], $2::jsonb[], $3::text[], $4::timestamptz[], $5::int[])
      AS u (id, payload, conversation_key, sent_at, wait_ms)
  ) AS new
  ON CONFLICT DO NOTHING
  RETURNING id, lease_owner IS NOT NULL AS "isLeased",
    coalesce(leased_at > sent_at + interval '${LATE_AFTER}', false) AS "isLate"`

/**
 * The latest instant at which an update can have been received, by a clock that has only gone forward. What came later
 * was stored by another clock, that of the primary before this one, and has waited for all that it was to wait for.
 */
const LATEST = `now() + interval '${GAPS_WINDOW_S} s'`

/**
 * A bot's ids have no gaps, so one that is missing is on its way: `gap` is the smallest new id that
 * lacks the one before it. What comes after it waits, unless it or a later one came long ago.
 *
 * It waits for the disk: processes outlive a crash of the server, so a lease must not be forgotten by it.
 */
const LEASE = `
  WITH gap AS (
    SELECT min(id) AS id FROM bot.update u
    WHERE $3::int > 0 AND received_at BETWEEN now() - $3::int * interval '1 ms' AND ${LATEST}
      AND NOT EXISTS (SELECT FROM bot.update p WHERE p.id = u.id - 1)
      AND id > coalesce((
        SELECT max(id) FROM bot.update
        WHERE received_at <= now() - $3::int * interval '1 ms'
          AND received_at > now() - interval '${GAPS_WINDOW_S} s'), 0)
  ), leasable AS (
    SELECT u.id, u.leased_at IS NULL AS is_first, gap.id AS gap_id,
      u.released_at IS NULL AND u.noted_at IS NULL AND EXISTS (
        SELECT FROM bot.update o WHERE ${IN_THE_WAY} AND o.noted_at IS NOT NULL) AS beside
    FROM bot.update u, gap
    WHERE u.handled_at IS NULL AND u.lease_owner IS NULL AND u.part_of IS NULL
      AND (u.ready_at <= now() OR u.received_at > ${LATEST})
      AND CASE
        WHEN u.conversation_key IS NULL OR u.released_at IS NOT NULL THEN true
        WHEN u.noted_at IS NOT NULL THEN NOT EXISTS (
          SELECT FROM bot.update o
          WHERE ${IN_THE_WAY} AND o.noted_at IS NOT NULL AND (o.lease_owner IS NOT NULL
            OR (o.noted_at, o.sent_at, o.id) < (u.noted_at, u.sent_at, u.id)))
        ELSE (gap.id IS NULL OR u.id < gap.id) AND NOT EXISTS (
          SELECT FROM bot.update o
          WHERE ${IN_THE_WAY} AND o.noted_at IS NULL
            AND (o.lease_owner IS NOT NULL OR (o.sent_at, o.id) < (u.sent_at, u.id)
              OR o.ready_at > now() AND o.received_at <= ${LATEST}
                AND o.received_at < u.received_at + interval '${PARTS_MS_MAX} ms'))
      END
    ORDER BY u.sent_at, u.id LIMIT $2 FOR UPDATE OF u SKIP LOCKED
  ), leased AS (
    UPDATE bot.update u
    SET lease_owner = $1, leased_at = coalesce(leased_at, now()), is_beside = beside
    FROM leasable WHERE u.id = leasable.id RETURNING u.*, is_first, gap_id
  ), whole AS (
    SELECT payload AS update, is_first AS "isFirst", is_beside AS "isBeside",
      leased_at > sent_at + interval '${LATE_AFTER}' AS "isLate", coalesce((
        SELECT jsonb_agg(payload ORDER BY sent_at, id) FROM (
          SELECT payload, sent_at, id FROM bot.update n
          WHERE n.conversation_key = l.conversation_key AND n.released_at IS NULL
            AND n.id <> l.id AND n.lease_owner IS NULL
            AND CASE
              WHEN NOT l.is_first THEN n.part_of = l.id
              ELSE n.part_of IS NULL AND n.noted_at IS NULL
                AND (l.gap_id IS NULL OR n.id < l.gap_id)
            END
          ORDER BY sent_at, id LIMIT ${PARTS_MAX}) AS n), '[]') AS next
    FROM leased l ORDER BY sent_at, id
  ), instant AS (
    SELECT ready_at AS at FROM bot.update
    WHERE handled_at IS NULL AND lease_owner IS NULL AND part_of IS NULL AND ready_at > now()
      AND received_at <= ${LATEST}
    UNION ALL
    SELECT received_at + $3::int * interval '1 ms' FROM bot.update JOIN gap ON update.id >= gap.id
    WHERE received_at BETWEEN now() - $3::int * interval '1 ms' AND ${LATEST}
  )
  SELECT (SELECT coalesce(jsonb_agg(whole), '[]') FROM whole) AS updates,
    (SELECT ceil(extract(epoch FROM min(at) - now()) * 1000)::float8 FROM instant) AS "nextInMs"`

/** PostgreSQL's JSON has no room for a zero character and for half a surrogate pair. */
function toJson(update: Update): string {
  return JSON.stringify(update, (_key, value: unknown) =>
    typeof value === 'string' ? value.replaceAll('\0', '').toWellFormed() : value,
  )
}
