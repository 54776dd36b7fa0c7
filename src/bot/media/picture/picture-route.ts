import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type ByteRange, readByteRange } from '../../../platform/http/byte-range.ts'
import { hashOfPictureToken } from './picture-token.ts'
import type { StoredPictures } from './stored-pictures.ts'

const PIECE_BYTES = 256 * 1024

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
      url: '/pictures/:token',
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
