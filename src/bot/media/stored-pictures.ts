/**
 * The statements that keep pictures, serve them and let them go.
 *
 * Invariants:
 * - a picture is served while an order needs it or ended less than a day ago, and without an order for two
 *   hours; from then on it is not found, whether its bytes are deleted already or not;
 * - a user has at most `UNUSED_MAX` pictures that no order uses: a newer one replaces the oldest;
 * - the one clock is the database's.
 */
import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Pool } from 'pg'
import { type ByteRange, readByteRange } from '../../platform/http/byte-range.ts'
import { hashOfPictureToken, PICTURE_PATH } from './addresses.ts'

const PIECE_BYTES = 256 * 1024

/** The number for one user. Each has 20 MB at most. */
const UNUSED_MAX = 5
const UNUSED_FOR = '2 hours'
const AFTER_ORDER_FOR = '24 hours'

const IS_ORDERED = `EXISTS (SELECT 1 FROM bot."order" WHERE picture_hash = token_hash)`

const IS_SERVED = `(kept_until > now() OR EXISTS (
  SELECT 1 FROM bot."order" WHERE picture_hash = token_hash
    AND (ended_at IS NULL OR ended_at > now() - interval '${AFTER_ORDER_FOR}')))`

export interface ServedPicture {
  contentType: string
  sizeBytes: number
}

export function createStoredPictures({ pool }: { pool: Pick<Pool, 'query'> }) {
  return { keep, refill, find, readPiece, findFile, purge }

  async function keep(
    tokenHash: Uint8Array,
    picture: { userId: number; fileId: string; contentType: string; bytes: Buffer },
  ): Promise<void> {
    const { userId, fileId, contentType, bytes } = picture
    await pool.query(KEEP, [tokenHash, userId, fileId, contentType, bytes])
  }

  async function refill(tokenHash: Uint8Array, bytes: Buffer): Promise<void> {
    await pool.query(REFILL, [tokenHash, bytes])
  }

  async function find(tokenHash: Uint8Array): Promise<ServedPicture | undefined> {
    const { rows } = await pool.query<ServedPicture>(FIND, [tokenHash])
    return rows[0]
  }

  async function readPiece(
    tokenHash: Uint8Array,
    { start, size }: { start: number; size: number },
  ): Promise<Buffer | undefined> {
    const { rows } = await pool.query<{ piece: Buffer | null }>(READ, [tokenHash, start + 1, size])
    return rows[0]?.piece ?? undefined
  }

  async function findFile(
    tokenHash: Uint8Array,
  ): Promise<{ fileId: string; isServed: boolean } | undefined> {
    const { rows } = await pool.query<{ fileId: string; isServed: boolean }>(FIND_FILE, [tokenHash])
    return rows[0]
  }

  async function purge(): Promise<void> {
    await pool.query(PURGE)
  }
}

export type StoredPictures = ReturnType<typeof createStoredPictures>

const KEEP = `
  WITH replaced AS (
    DELETE FROM bot.picture WHERE token_hash IN (
      SELECT token_hash FROM bot.picture WHERE user_id = $2 AND NOT ${IS_ORDERED}
      ORDER BY kept_until DESC OFFSET ${UNUSED_MAX - 1})
  )
  INSERT INTO bot.picture (token_hash, user_id, file_id, content_type, bytes, kept_until)
  VALUES ($1, $2, $3, $4, $5, now() + interval '${UNUSED_FOR}')`

const REFILL = `
  UPDATE bot.picture SET bytes = $2, kept_until = now() + interval '${UNUSED_FOR}'
  WHERE token_hash = $1`

const FIND = `
  SELECT content_type AS "contentType", length(bytes) AS "sizeBytes"
  FROM bot.picture WHERE token_hash = $1 AND bytes IS NOT NULL AND ${IS_SERVED}`

const READ = `
  SELECT substring(bytes FROM $2::int FOR $3::int) AS piece
  FROM bot.picture WHERE token_hash = $1`

const FIND_FILE = `
  SELECT file_id AS "fileId", bytes IS NOT NULL AND ${IS_SERVED} AS "isServed"
  FROM bot.picture WHERE token_hash = $1`

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

/**
 * `GET` and `HEAD /pictures/:token`: a picture, whole or by range, for every client that has its address, as
 * long as it is needed. After that it is not found, and no cache keeps it.
 */
export function createPicturesPlugin({
  find,
  readPiece,
}: Pick<StoredPictures, 'find' | 'readPiece'>) {
  return async (http: FastifyInstance): Promise<void> => {
    http.route<{ Params: { token: string } }>({
      method: ['GET', 'HEAD'],
      url: `${PICTURE_PATH}:token`,
      handler: answer,
    })
  }

  async function answer(
    request: FastifyRequest<{ Params: { token: string } }>,
    reply: FastifyReply,
  ): Promise<FastifyReply> {
    const tokenHash = hashOfPictureToken(request.params.token)
    const picture = await find(tokenHash)
    if (picture === undefined) return reply.code(404).send({ detail: 'There is no such path.' })
    const { contentType, sizeBytes } = picture
    const part = readByteRange(request.headers.range, sizeBytes)
    reply.headers({
      'content-type': contentType,
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-store',
      'accept-ranges': 'bytes',
    })
    if (part === 'unsatisfiable') {
      return reply.code(416).header('content-range', `bytes */${sizeBytes}`).send()
    }
    const { start, end } = part ?? { start: 0, end: sizeBytes - 1 }
    if (part !== undefined) {
      reply.code(206).header('content-range', `bytes ${start}-${end}/${sizeBytes}`)
    }
    reply.header('content-length', end + 1 - start)
    if (request.method === 'HEAD') return reply.send()
    return reply.send(Readable.from(readPieces(tokenHash, { start, end }), { objectMode: false }))
  }

  async function* readPieces(tokenHash: Uint8Array, { start, end }: ByteRange) {
    for (let at = start; at <= end; at += PIECE_BYTES) {
      const size = Math.min(PIECE_BYTES, end + 1 - at)
      const piece = await readPiece(tokenHash, { start: at, size })
      if (piece?.byteLength !== size) throw new Error('Cannot serve picture: it is gone')
      yield piece
    }
  }
}
