import type { IncomingMessage } from 'node:http'
import { promisify } from 'node:util'
import { gunzip, inflate } from 'node:zlib'
import { ApiError, badRequest, requestTooLarge } from './envelope.ts'

/** The bound of a whole request, files included. */
export const BODY_BYTES_MAX = 50 * 1024 * 1024
/** An oversized body is read to its end, so that the client hears the answer, but not past this. */
const DISCARD_BYTES_MAX = 4 * BODY_BYTES_MAX
/** Up to here a body of unknown length is moved to a buffer of twice the size whenever it outgrows one. */
const DOUBLED_BYTES_MAX = 8 * 1024 * 1024

const DECODERS: ReadonlyMap<string, typeof gunzip> = new Map([
  ['gzip', gunzip],
  ['deflate', inflate],
])

/**
 * Reads a body into one buffer. A large one is never there twice, as it would be if its pieces were
 * joined at the end: its buffer is made as long as the request says, or as long as any may be, which
 * takes no memory before it is written to.
 *
 * @throws {ApiError} 413 beyond 50 MiB, 415 for an encoding that is neither gzip nor deflate.
 */
export async function readBody(request: IncomingMessage): Promise<Buffer> {
  const { 'content-length': length, 'content-encoding': encoding = '' } = request.headers
  const decoder = DECODERS.get(encoding.toLowerCase())
  if (encoding !== '' && decoder === undefined) {
    throw new ApiError(415, 'Unsupported Media Type: unsupported content-encoding')
  }
  const body = await collect(request, length === undefined ? undefined : Number(length))
  return decoder && body.length > 0 ? decode(body, decoder) : body
}

async function collect(request: IncomingMessage, length: number | undefined): Promise<Buffer> {
  const isTooLong = length !== undefined && length > BODY_BYTES_MAX
  let buffer: Buffer = Buffer.allocUnsafeSlow(isTooLong ? 0 : (length ?? 0))
  let size = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    const end = size + chunk.length
    if (end > DISCARD_BYTES_MAX) break
    if (end <= BODY_BYTES_MAX && !isTooLong) {
      if (end > buffer.length) buffer = grown(buffer, { size, end })
      chunk.copy(buffer, size)
    } else buffer = Buffer.alloc(0)
    size = end
  }
  if (isTooLong || size > BODY_BYTES_MAX) throw requestTooLarge()
  return buffer.subarray(0, size)
}

function grown(buffer: Buffer, { size, end }: { size: number; end: number }): Buffer {
  const doubled = Math.max(buffer.length * 2, end)
  const larger = Buffer.allocUnsafeSlow(doubled > DOUBLED_BYTES_MAX ? BODY_BYTES_MAX : doubled)
  buffer.copy(larger, 0, 0, size)
  return larger
}

async function decode(body: Buffer, decoder: typeof gunzip): Promise<Buffer> {
  try {
    return await promisify(decoder)(body, { maxOutputLength: BODY_BYTES_MAX })
  } catch (error) {
    const isTooLong = error instanceof RangeError
    throw isTooLong ? requestTooLarge() : badRequest('failed to decode the body')
  }
}
