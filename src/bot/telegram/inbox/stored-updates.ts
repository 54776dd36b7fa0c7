import type { Update } from 'grammy/types'
import type { Pool } from 'pg'
import { isEndedSql } from '../../../database/lease.ts'

/** Told to every process when there may be something for it. */
export const INBOX_CHANNEL = 'bot_inbox'

/** A message that may be a part of another one holds its line up, but not for longer. */
const PARTS_MS_MAX = 5_000
/** So many messages may be one prompt. */
const PARTS_MAX = 20
/** How far back the newest update is looked for behind which a gap is old news. */
const GAPS_WINDOW_S = 60
/** What is handled can come again: after a crash, or because our answer did not arrive. */
const KEPT_FOR = '1 day'
const PURGE_MAX = 1_000

const UNIQUE_VIOLATION = '23505'

/** An update on its way into the store. */
export interface NewUpdate {
  update: Update
  /** The conversation whose updates are handled one after the other; missing: it waits for nothing. */
  line: string | undefined
  /** By Telegram's clock; now where it is missing. */
  sentAt: Date | undefined
  /** How long it waits before it may be claimed. */
  waitMs: number
}

/** An update that this process has to handle. */
export interface ClaimedUpdate {
  id: number
  update: Update
  line: string | null
  /** Taken up for the first time: by no process before. */
  isFirst: boolean
  sentAt: Date
  /** When it was first taken up. */
  claimedAt: Date
  /** What waits behind it and may belong to it; taken up again, exactly what belongs to it. */
  next: Update[]
}

/**
 * The statements that an update's life is made of: stored, claimed, passed, handled.
 *
 * Of one line at most one update is claimed and not passed; an index sees to it, whoever claims.
 */
export function createStoredUpdates({ pool, instanceId }: { pool: Pool; instanceId: number }) {
  return { add, claim, pass, end, release, releaseAll, takeOver, purge }

  /** Stores updates. @returns The ids of those that were not stored before. */
  async function add(updates: readonly NewUpdate[]): Promise<Set<number>> {
    if (updates.length === 0) return new Set()
    const { rows } = await pool.query<{ id: string }>({
      name: 'update_add',
      text: ADD,
      values: [
        updates.map(({ update }) => update.update_id),
        updates.map(({ update }) => toJson(update)),
        updates.map(({ line }) => line ?? null),
        updates.map(({ sentAt }) => sentAt ?? null),
        updates.map(({ waitMs }) => waitMs),
      ],
    })
    return new Set(rows.map(({ id }) => Number(id)))
  }

  /**
   * Takes up what may be handled now: the first of each line that stands still, what waits for
   * nothing, and what was left in the middle.
   *
   * @param gapMs How long an update waits for those with smaller ids that are not there yet; 0: not at all.
   * @returns Undefined if another process took something at the same moment: nothing is claimed, look again.
   */
  async function claim({
    limit,
    gapMs,
  }: {
    limit: number
    gapMs: number
  }): Promise<ClaimedUpdate[] | undefined> {
    try {
      const { rows } = await pool.query<ClaimedRow>({
        name: 'update_claim',
        text: CLAIM,
        values: [instanceId, limit, gapMs],
      })
      return rows.map(({ id, ...row }) => ({ ...row, id: Number(id) }))
    } catch (error) {
      if ((error as { code?: unknown }).code === UNIQUE_VIOLATION) return undefined
      throw error
    }
  }

  /** Lets the line of a claimed update go on. @returns Whether anything waits in it. */
  function pass(claimed: ClaimedUpdate): Promise<boolean> {
    return change(claimed, { name: 'update_pass', changes: 'passed_at = now()' })
  }

  /** Notes that nothing of an update is left to be done. @returns Whether anything waits in its line. */
  function end(claimed: ClaimedUpdate): Promise<boolean> {
    return change(claimed, {
      name: 'update_end',
      changes: `passed_at = coalesce(passed_at, now()), handled_at = now(), owner = NULL, payload = NULL`,
    })
  }

  async function change(
    { id, line, next }: ClaimedUpdate,
    { name, changes }: { name: string; changes: string },
  ): Promise<boolean> {
    const { rows } = await pool.query<{ isAwaited: boolean }>({
      name,
      text: `WITH changed AS (
         UPDATE bot.update SET ${changes}
         WHERE id = $1 AND owner = $2 OR id = ANY ($4::bigint[]) AND part_of = $1)
       SELECT EXISTS (
         SELECT FROM bot.update WHERE line = $3 AND passed_at IS NULL
           AND part_of IS NULL AND id <> $1) AS "isAwaited"`,
      values: [id, instanceId, line, next.map(({ update_id }) => update_id)],
    })
    return rows[0]?.isAwaited ?? false
  }

  /** Gives a claimed update back, so that another process may take it up. */
  async function release(id: number): Promise<void> {
    await pool.query('UPDATE bot.update SET owner = NULL WHERE id = $1 AND owner = $2', [
      id,
      instanceId,
    ])
    await notify()
  }

  async function releaseAll(): Promise<void> {
    await pool.query('UPDATE bot.update SET owner = NULL WHERE owner = $1', [instanceId])
    await notify()
  }

  /** Frees the updates whose lease owner has ended. */
  async function takeOver(): Promise<void> {
    await pool.query(
      `UPDATE bot.update SET owner = NULL
       WHERE owner <> $1 AND ${isEndedSql('owner')}`,
      [instanceId],
    )
  }

  /** Has the other processes look. */
  async function notify(): Promise<void> {
    await pool.query(`NOTIFY ${INBOX_CHANNEL}`)
  }

  /**
   * Forgets some of what was handled long ago, but never the newest: it tells that the next one
   * follows without a gap.
   *
   * @returns Whether there may be more.
   */
  async function purge(): Promise<boolean> {
    const { rowCount } = await pool.query(
      `DELETE FROM bot.update WHERE id IN (
         SELECT id FROM bot.update
         WHERE received_at < now() - $1::interval AND handled_at < now() - $1::interval
           AND id <> (SELECT id FROM bot.update ORDER BY received_at DESC, id DESC LIMIT 1)
         ORDER BY received_at LIMIT $2)`,
      [KEPT_FOR, PURGE_MAX],
    )
    return rowCount === PURGE_MAX
  }
}

interface ClaimedRow extends Omit<ClaimedUpdate, 'id'> {
  id: string
}

const ADD = `
  INSERT INTO bot.update (id, payload, line, sent_at, ready_at)
  SELECT id, payload, line, coalesce(sent_at, now()),
         date_trunc('milliseconds', now()) + wait_ms * interval '1 ms'
  FROM unnest($1::bigint[], $2::jsonb[], $3::text[], $4::timestamptz[], $5::int[])
    AS new (id, payload, line, sent_at, wait_ms)
  ON CONFLICT DO NOTHING RETURNING id`

/**
 * A bot's ids have no gaps, so one that is missing is on its way: `gap` is the smallest new id that
 * lacks the one before it. What has it behind itself waits, unless it or a later one came long ago.
 *
 * It does not wait for the disk: a server that forgets a claim in a crash has lost the locks of the
 * processes too, so that everything claimed is anybody's. What a handler writes is on the disk after it.
 */
const CLAIM = `
  WITH gap AS (
    SELECT min(id) AS id FROM bot.update u
    WHERE $3::int > 0 AND received_at > now() - $3::int * interval '1 ms'
      AND NOT EXISTS (SELECT FROM bot.update p WHERE p.id = u.id - 1)
      AND id > coalesce((
        SELECT max(id) FROM bot.update
        WHERE received_at <= now() - $3::int * interval '1 ms'
          AND received_at > now() - interval '${GAPS_WINDOW_S} s'), 0)
  ), claimable AS (
    SELECT u.id, u.claimed_at IS NULL AS is_first, gap.id AS gap_id FROM bot.update u, gap
    WHERE u.handled_at IS NULL AND u.owner IS NULL AND u.part_of IS NULL AND u.ready_at <= now()
      AND CASE
        WHEN u.line IS NULL OR u.passed_at IS NOT NULL THEN true
        ELSE (gap.id IS NULL OR u.id < gap.id) AND NOT EXISTS (
          SELECT FROM bot.update o WHERE o.line = u.line AND o.passed_at IS NULL
            AND o.part_of IS NULL AND o.id <> u.id
            AND (o.owner IS NOT NULL OR (o.sent_at, o.id) < (u.sent_at, u.id)
              OR o.ready_at > now()
                AND o.received_at < u.received_at + interval '${PARTS_MS_MAX} ms'))
      END
    ORDER BY u.sent_at, u.id LIMIT $2 FOR UPDATE OF u SKIP LOCKED
  ), claimed AS (
    UPDATE bot.update u SET owner = $1, claimed_at = coalesce(claimed_at, now())
    FROM claimable c WHERE u.id = c.id RETURNING u.*, c.is_first, c.gap_id
  )
  SELECT id, payload AS update, line, is_first AS "isFirst",
    sent_at AS "sentAt", claimed_at AS "claimedAt", coalesce((
      SELECT jsonb_agg(payload ORDER BY sent_at, id) FROM (
        SELECT payload, sent_at, id FROM bot.update n
        WHERE n.line = c.line AND n.passed_at IS NULL
          AND n.id <> c.id AND n.owner IS NULL AND (c.gap_id IS NULL OR n.id < c.gap_id)
          AND CASE WHEN c.is_first THEN n.part_of IS NULL ELSE n.part_of = c.id END
        ORDER BY sent_at, id LIMIT ${PARTS_MAX}) AS n), '[]') AS next
  FROM claimed c, set_config('synchronous_commit', 'off', true) ORDER BY sent_at, id`

/** PostgreSQL's JSON has no room for a zero character and for half a surrogate pair. */
function toJson(update: Update): string {
  return JSON.stringify(update, (_key, value: unknown) =>
    typeof value === 'string' ? value.replaceAll('\0', '').toWellFormed() : value,
  )
}
