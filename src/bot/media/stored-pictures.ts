/**
 * Keeps pictures and serves them.
 *
 * Invariants:
 * - a picture is served while an order needs it or ended less than a day ago, and without an order for two hours; from
 *   then on it is not found, whether its bytes are deleted already or not;
 * - a user has at most `UNUSED_MAX` pictures that no order uses: a newer one replaces the oldest;
 * - the one clock is the database's.
 */
import type { FastifyInstance } from 'fastify'
import type { Pool } from 'pg'
import { hashOfPictureToken, PICTURE_PATH } from './addresses.ts'

/** For one user; each picture has 20 MB at most. */
const UNUSED_MAX = 5
const UNUSED_FOR = '2 hours'
const AFTER_ORDER_FOR = '24 hours'

const IS_ORDERED = `EXISTS (SELECT 1 FROM bot."order" WHERE picture_hash = token_hash)`
const IS_SERVED = `(kept_until > now() OR EXISTS (
  SELECT 1 FROM bot."order" WHERE picture_hash = token_hash
    AND (ended_at IS NULL OR ended_at > now() - interval '${AFTER_ORDER_FOR}')))`

const KEEP = `
  WITH replaced AS (
    DELETE FROM bot.picture WHERE token_hash IN (
      SELECT token_hash FROM bot.picture WHERE user_id = $2 AND NOT ${IS_ORDERED}
      ORDER BY kept_until DESC OFFSET ${UNUSED_MAX - 1})
  )
  INSERT INTO bot.picture (token_hash, user_id, file_id, content_type, bytes, kept_until)
  VALUES ($1, $2, $3, $4, $5, now() + interval '${UNUSED_FOR}')`
const FIND = `
  SELECT content_type AS "contentType", bytes
  FROM bot.picture WHERE token_hash = $1 AND bytes IS NOT NULL AND ${IS_SERVED}`
const FIND_FILE = 'SELECT file_id AS "fileId" FROM bot.picture WHERE token_hash = $1'
/** The row of an ordered picture remains: it can be fetched from Telegram for another order. */
const PURGE = `
  WITH unserved AS (
    SELECT token_hash, ${IS_ORDERED} AS is_ordered FROM bot.picture
    WHERE bytes IS NOT NULL AND NOT ${IS_SERVED}
  ), emptied AS (
    UPDATE bot.picture SET bytes = NULL
    WHERE token_hash IN (SELECT token_hash FROM unserved WHERE is_ordered)
  )
  DELETE FROM bot.picture
  WHERE token_hash IN (SELECT token_hash FROM unserved WHERE NOT is_ordered)`

export interface NewPicture {
  userId: number
  fileId: string
  contentType: string
  bytes: Buffer
}

export function createStoredPictures({ pool }: { pool: Pick<Pool, 'query'> }) {
  return { keep, find, findFile, purge }

  async function keep(tokenHash: Uint8Array, picture: NewPicture): Promise<void> {
    const { userId, fileId, contentType, bytes } = picture
    await pool.query(KEEP, [tokenHash, userId, fileId, contentType, bytes])
  }

  async function find(tokenHash: Uint8Array) {
    const { rows } = await pool.query<{ contentType: string; bytes: Buffer }>(FIND, [tokenHash])
    return rows[0]
  }

  async function findFile(tokenHash: Uint8Array): Promise<string | undefined> {
    const { rows } = await pool.query<{ fileId: string }>(FIND_FILE, [tokenHash])
    return rows[0]?.fileId
  }

  async function purge(): Promise<void> {
    await pool.query(PURGE)
  }
}

export type StoredPictures = ReturnType<typeof createStoredPictures>

/** Opens `GET` and `HEAD /pictures/:token`: a picture as long as it is needed. No cache keeps it. */
export function createPicturesPlugin({ find }: Pick<StoredPictures, 'find'>) {
  return async (http: FastifyInstance): Promise<void> => {
    http.get<{ Params: { token: string } }>(`${PICTURE_PATH}:token`, async (request, reply) => {
      const picture = await find(hashOfPictureToken(request.params.token))
      if (picture === undefined) return reply.code(404).send({ detail: 'There is no such path.' })
      return reply
        .headers({
          'content-type': picture.contentType,
          'x-content-type-options': 'nosniff',
          'cache-control': 'no-store',
        })
        .send(picture.bytes)
    })
  }
}
