import type { Update } from 'grammy/types'
import type { Pool } from 'pg'
import type { Prisma } from '../../platform/database/generated/client.ts'
import type { PromptPart, UpdateWithParts } from './joined.ts'
import { type TelegramClock, toDatabaseTime } from './telegram-clock.ts'

/** Notifies the active process of updates that another process stored. */
export const INBOX_CHANNEL = 'bot_inbox'

/** From this age on, the user is asked whether an answer is still wanted. */
const LATE_AFTER = '1 hour'
/** Telegram repeats updates for a day, and lets people edit a message for two. */
const KEPT_FOR = '48 hours'

export interface NewUpdate {
  update: Update
  /** Null if the update waits for no other one. */
  threadKey: string | null
  /** By Telegram's clock; null if Telegram does not name it. */
  sentAt: Date | null
}

export interface StoredUpdate {
  update: UpdateWithParts
  sentAtMs: number
  isLate: boolean
  isFirst: boolean
}

interface StoredParts {
  id: string
  parts: readonly PromptPart[]
}

export class UpdateStore {
  readonly #pool: Pick<Pool, 'query'>
  readonly #telegramNow: TelegramClock['now']

  constructor(pool: Pick<Pool, 'query'>, telegramNow: TelegramClock['now'] = () => undefined) {
    this.#pool = pool
    this.#telegramNow = telegramNow
  }

  async add(updates: readonly NewUpdate[], { notifies }: { notifies: boolean }): Promise<void> {
    await this.#pool.query({
      name: 'update_add',
      text: ADD,
      values: [
        updates.map(({ update }) => update.update_id),
        updates.map(({ update }) => toJson(update)),
        updates.map(({ threadKey }) => threadKey),
        updates.map(({ sentAt }) => sentAt),
        this.#telegramNow() ?? null,
        notifies,
      ],
    })
  }

  /** Marks an update whose data the database refuses. */
  async addHandled(id: number): Promise<void> {
    await this.#pool.query(
      'INSERT INTO bot.update (id, handled_at) VALUES ($1, now()) ON CONFLICT DO NOTHING',
      [id],
    )
  }

  async now(): Promise<Date> {
    const { rows } = await this.#pool.query<{ now: Date }>('SELECT now()')
    return rows[0]?.now ?? new Date(0)
  }

  /** Returns updates in the order of sending. Only this process has handled updates since `since`. */
  async findUnhandled(given: {
    except: readonly number[]
    limit: number
    since: Date
  }): Promise<StoredUpdate[]> {
    const { rows } = await this.#pool.query<StoredUpdate>({
      name: 'update_find_unhandled',
      text: FIND_UNHANDLED,
      values: [given.except, given.limit, given.since],
    })
    return rows
  }

  /** Stores which messages are one prompt: its first update is handled for the `others`. */
  async join({ update, others }: { update: UpdateWithParts; others: number[] }): Promise<void> {
    await this.#pool.query(JOIN, [update.update_id, others, toJson(update)])
  }

  async findParts(threadKey: string, messageId: number): Promise<StoredParts | undefined> {
    const part = JSON.stringify({ parts: [{ message: { message_id: messageId } }] })
    const { rows } = await this.#pool.query<StoredParts>(FIND_PARTS, [threadKey, part])
    return rows[0]
  }

  async changeParts({ id, parts }: StoredParts): Promise<void> {
    const text = `UPDATE bot.update SET payload = jsonb_set(payload, '{parts}', $2) WHERE id = $1`
    await this.#pool.query(text, [id, toJson(parts)])
  }

  async end(id: number): Promise<void> {
    await this.#pool.query({ name: 'update_end', text: END, values: [id] })
  }

  async purge(): Promise<void> {
    await this.#pool.query(
      `DELETE FROM bot.update
       WHERE received_at < now() - $1::interval AND handled_at < now() - $1::interval`,
      [KEPT_FOR],
    )
  }
}

const ADD = `
  WITH added AS (
    INSERT INTO bot.update (id, payload, thread_key, sent_at)
    SELECT id, payload, thread_key, coalesce(${toDatabaseTime('sent_at', '$5')}, now())
    FROM unnest($1::bigint[], $2::jsonb[], $3::text[], $4::timestamptz[])
      AS given (id, payload, thread_key, sent_at)
    ON CONFLICT DO NOTHING RETURNING id
  )
  SELECT pg_notify('${INBOX_CHANNEL}', '') FROM added WHERE $6::boolean LIMIT 1`

const FIND_UNHANDLED = `
  SELECT payload AS update, (extract(epoch FROM sent_at) * 1000)::float8 AS "sentAtMs",
    now() > sent_at + interval '${LATE_AFTER}' AS "isLate", received_at > $3 AS "isFirst"
  FROM bot.update WHERE handled_at IS NULL AND id <> ALL ($1::bigint[])
  ORDER BY sent_at, id LIMIT $2`

const JOIN = `
  UPDATE bot.update SET payload = CASE id WHEN $1 THEN $3::jsonb END,
    handled_at = CASE WHEN id <> $1 THEN now() END
  WHERE id = $1 OR id = ANY ($2::bigint[])`

const FIND_PARTS = `
  SELECT id, payload -> 'parts' AS parts FROM bot.update
  WHERE thread_key = $1 AND payload ? 'parts' AND payload @> $2::jsonb LIMIT 1`

// A message's id shows whether it is below a question. The parts are needed if one of them is edited.
const END = `
  UPDATE bot.update SET handled_at = now(),
    payload = CASE WHEN payload ? 'message' THEN jsonb_strip_nulls(jsonb_build_object(
      'message', jsonb_build_object('message_id', payload #> '{message,message_id}'),
      'parts', payload -> 'parts')) END
  WHERE id = $1`

/** PostgreSQL's JSON rejects zero characters and lone surrogates. */
function toJson(value: unknown): string {
  return JSON.stringify(value, (_key, field: unknown) =>
    typeof field === 'string' ? field.replaceAll('\0', '').toWellFormed() : field,
  )
}

/** Erases the words of a user from the updates. None of them is handled again. */
export async function eraseUpdates(
  tx: Pick<Prisma.TransactionClient, '$executeRaw'>,
  userId: number,
): Promise<void> {
  await tx.$executeRaw`
    UPDATE bot.update SET payload = NULL, handled_at = coalesce(handled_at, now())
    WHERE payload IS NOT NULL AND ${String(userId)} IN (
      payload #>> '{message,from,id}', payload #>> '{edited_message,from,id}',
      payload #>> '{parts,0,message,from,id}')`
}
