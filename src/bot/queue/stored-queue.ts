import type { Pool } from 'pg'
import { aliveSql } from '../../database/instance.ts'
import { type RateLimitState, UNKNOWN_RATE_LIMIT, WINDOW_MS } from './rate-limit.ts'
import type { QueueEntry, QueueState } from './shared-queue.ts'

/** Told to every process when the line moved for one of them. */
export const QUEUE_CHANNEL = 'bot_line'

/** The line as it was read. */
export interface QueueSnapshot {
  /** Grows with every change; the line is only changed by who knows its newest one. */
  version: number
  /** The instant at which it was read, of the time that all processes share. */
  now: number
  /** Without what waited for a process that does not live any more. */
  state: QueueState
  /** What such processes left. */
  deadIds: string[]
}

export interface StoredQueueDeps {
  pool: Pick<Pool, 'query'>
  instanceId: number
  /** The time that all processes share; the database's where it is missing. */
  sharedNow?: (() => Date) | undefined
}

/**
 * The line in the database, shared by all processes.
 *
 * Invariant: the room and the line change together, from one version to the next, by one statement
 * on the one row of the room. Whoever comes at the same time changes nothing, reads again and sees
 * what the other one took: nobody uses up room on which another one counted.
 */
export function createStoredQueue({ pool, instanceId, sharedNow }: StoredQueueDeps) {
  return { read, save, noteSent }

  async function read(): Promise<QueueSnapshot> {
    const { rows } = await pool.query<SnapshotRow>(READ, [instanceId, sharedNow?.()])
    const [first] = rows
    if (first === undefined) throw new Error('Cannot read line: its room is missing')
    const entries = rows.filter(isEntry)
    return {
      version: first.version,
      now: first.now.getTime(),
      state: {
        room: toRoom(first),
        places: first.places,
        entries: entries.filter((row) => row.isAlive).map(toEntry),
      },
      deadIds: entries.filter((row) => !row.isAlive).map(({ id }) => id),
    }
  }

  /**
   * Stores what became of a line.
   *
   * @param notifiesOthers Whether other processes are to look.
   * @returns False if another process was faster: nothing is stored, read again.
   */
  async function save(
    { version, now, state: before, deadIds }: QueueSnapshot,
    { after, notifiesOthers }: { after: QueueState; notifiesOthers: boolean },
  ): Promise<boolean> {
    const known = new Map(before.entries.map((entry) => [entry.id, entry]))
    const changed = after.entries.filter((entry) => !isSame(known.get(entry.id), entry))
    const kept = new Set(after.entries.map(({ id }) => id))
    const goneIds = [...known.keys()].filter((id) => !kept.has(id))
    const { room } = after
    const { rowCount } = await pool.query(SAVE, [
      version,
      Number.isFinite(room.limit) ? room.limit : null,
      toDate(room.refusedAt),
      toDate(room.closedUntil),
      toDate(room.triesFrom),
      room.trialId ?? null,
      toDate(room.knownFrom),
      after.places,
      [...goneIds, ...deadIds],
      toDate(now),
      toJson(changed),
      notifiesOthers,
      String(instanceId),
    ])
    return rowCount === 1
  }

  /**
   * Notes requests that went out while no limit was known, beside all that others do.
   *
   * @returns Whether a limit is known by now.
   */
  async function noteSent(entries: readonly QueueEntry[]): Promise<boolean> {
    const values = [toJson(entries), sharedNow?.()]
    const { rows } = await pool.query<{ isLimited: boolean }>(NOTE_SENT, values)
    return rows[0]?.isLimited ?? false
  }
}

export type StoredQueue = ReturnType<typeof createStoredQueue>

interface RoomRow {
  version: number
  now: Date
  requestLimit: number | null
  refusedAt: Date | null
  closedUntil: Date | null
  triesFrom: Date | null
  trialId: string | null
  knownFrom: Date | null
  places: number
}

interface EntryRow {
  id: string
  turnId: string
  userId: string
  instanceId: number
  place: number
  sentAt: Date | null
  isOpen: boolean
  isAlive: boolean
}

/** The room stands in every row; without entries there is one row with nothing else. */
type SnapshotRow = RoomRow & (EntryRow | { [column in keyof EntryRow]: null })

const NOW = `date_trunc('milliseconds', coalesce($2::timestamptz, clock_timestamp()))`
const WINDOW = `interval '${WINDOW_MS} ms'`

const READ = `
  WITH clock AS MATERIALIZED (SELECT ${NOW} AS now), waiting AS (
    SELECT DISTINCT instance_id FROM bot.line_entry WHERE sent_at IS NULL
  ), alive AS (
    SELECT instance_id FROM waiting WHERE instance_id = $1 OR ${aliveSql('waiting.instance_id')}
  )
  SELECT r.version, c.now, r.request_limit AS "requestLimit", r.refused_at AS "refusedAt",
    r.closed_until AS "closedUntil", r.tries_from AS "triesFrom", r.trial_id AS "trialId",
    r.known_from AS "knownFrom", r.places,
    e.id, e.turn_id AS "turnId", e.user_id AS "userId", e.instance_id AS "instanceId", e.place,
    e.sent_at AS "sentAt", e.is_open AS "isOpen",
    e.sent_at IS NOT NULL OR e.instance_id IN (SELECT instance_id FROM alive) AS "isAlive"
  FROM bot.service_room r CROSS JOIN clock c
  LEFT JOIN bot.line_entry e ON e.sent_at IS NULL OR e.sent_at > c.now - ${WINDOW}
  ORDER BY e.place, e.turn_id`

const NEW_ENTRIES = `(id text, turn_id bigint, user_id bigint, instance_id int, place int,
  sent_at timestamptz, is_open boolean)`

const SAVE = `
  WITH saved AS (
    UPDATE bot.service_room SET version = version + 1, request_limit = $2, refused_at = $3,
      closed_until = $4, tries_from = $5, trial_id = $6, known_from = $7, places = $8
    WHERE version = $1 RETURNING id
  ), removed AS (
    DELETE FROM bot.line_entry e USING saved
    WHERE e.id = ANY ($9::text[]) OR e.sent_at <= $10::timestamptz - ${WINDOW}
  ), stored AS (
    INSERT INTO bot.line_entry (id, turn_id, user_id, instance_id, place, sent_at, is_open)
    SELECT e.* FROM saved, jsonb_to_recordset($11::jsonb) AS e ${NEW_ENTRIES}
    ON CONFLICT (id) DO UPDATE
      SET place = excluded.place, sent_at = excluded.sent_at, is_open = excluded.is_open
  )
  SELECT CASE WHEN $12 THEN pg_notify('${QUEUE_CHANNEL}', $13)::text END FROM saved`

/** What is old is left to the next one where somebody else removes it just now. */
const NOTE_SENT = `
  WITH removed AS (
    DELETE FROM bot.line_entry WHERE id IN (
      SELECT id FROM bot.line_entry WHERE sent_at <= ${NOW} - ${WINDOW} FOR UPDATE SKIP LOCKED)
  ), noted AS (
    INSERT INTO bot.line_entry (id, turn_id, user_id, instance_id, place, sent_at, is_open)
    SELECT e.id, e.turn_id, e.user_id, e.instance_id, e.place, ${NOW}, e.is_open
    FROM jsonb_to_recordset($1::jsonb) AS e ${NEW_ENTRIES}
    ON CONFLICT DO NOTHING
  )
  SELECT request_limit IS NOT NULL AS "isLimited" FROM bot.service_room`

function isEntry(row: SnapshotRow): row is RoomRow & EntryRow {
  return row.id !== null
}

function toEntry({ id, instanceId, place, isOpen, ...row }: EntryRow): QueueEntry {
  const turnId = BigInt(row.turnId)
  const userId = BigInt(row.userId)
  return { id, turnId, userId, instanceId, place, sentAt: row.sentAt?.getTime(), isOpen }
}

function toRoom({ requestLimit, trialId, ...row }: RoomRow): RateLimitState {
  const never = UNKNOWN_RATE_LIMIT.refusedAt
  return {
    limit: requestLimit ?? UNKNOWN_RATE_LIMIT.limit,
    refusedAt: row.refusedAt?.getTime() ?? never,
    closedUntil: row.closedUntil?.getTime() ?? never,
    triesFrom: row.triesFrom?.getTime() ?? never,
    trialId: trialId ?? undefined,
    knownFrom: row.knownFrom?.getTime() ?? never,
  }
}

/** Null for what never was. */
function toDate(at: number): Date | null {
  return Number.isFinite(at) ? new Date(at) : null
}

function toJson(entries: readonly QueueEntry[]): string {
  return JSON.stringify(
    entries.map(({ id, turnId, userId, instanceId, place, sentAt, isOpen }) => ({
      id,
      turn_id: turnId.toString(),
      user_id: userId.toString(),
      instance_id: instanceId,
      place,
      sent_at: sentAt === undefined ? null : new Date(sentAt),
      is_open: isOpen,
    })),
  )
}

function isSame(one: QueueEntry | undefined, other: QueueEntry): boolean {
  return (
    one !== undefined &&
    one.place === other.place &&
    one.sentAt === other.sentAt &&
    one.isOpen === other.isOpen
  )
}
