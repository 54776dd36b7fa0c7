import type { Dispatcher } from 'undici'
import type { HttpHeaders } from './headers.ts'

/** A body as it arrives. Read it, `drain()` it or destroy it; leaving an iterator early destroys it. */
export type OpenBody = Dispatcher.ResponseData['body']

export interface Answer<Body = Buffer> {
  status: number
  headers: HttpHeaders
  body: Body
}

/**
 * The outcome of a request. `unsent`: not one byte of it went out, so that it may be sent again. `lost`:
 * it went out, at least in part, and no whole answer came back, so that it may have been carried out.
 *
 * @see docs/service.md#was-it-sent
 */
export type Exchange<Body = Buffer> =
  | ({ outcome: 'answered' } & Answer<Body>)
  | { outcome: 'unsent' | 'lost'; cause: unknown }

/** An answer has more bytes than its reader takes. */
export class AnswerTooLongError extends Error {
  override readonly name = 'AnswerTooLongError'
}

/**
 * Reads an answer's whole body. A refusal's status (400 and above) says enough: where its body does not
 * arrive whole within `bytesMax`, it is empty.
 *
 * @returns `answered` or `lost`, with an `AnswerTooLongError` as its cause beyond `bytesMax`.
 */
export async function readWholeAnswer(
  { status, headers, body }: Answer<OpenBody>,
  bytesMax: number,
): Promise<Exchange> {
  try {
    return { outcome: 'answered', status, headers, body: await readBody(body, bytesMax) }
  } catch (cause) {
    if (status < 400) return { outcome: 'lost', cause }
    return { outcome: 'answered', status, headers, body: Buffer.alloc(0) }
  }
}

/** Reads the first bytes of a body, at most so many; of one that breaks off, what came. Never rejects. */
export async function readHead(body: AsyncIterable<Uint8Array>, bytesMax: number): Promise<Buffer> {
  const pieces: Uint8Array[] = []
  let bytes = 0
  try {
    for await (const piece of body) {
      pieces.push(piece)
      bytes += piece.byteLength
      if (bytes >= bytesMax) break
    }
  } catch {
    // What came has to do.
  }
  return Buffer.concat(pieces).subarray(0, bytesMax)
}

/**
 * Reads a whole body. An iterator left early destroys the body, and with it the connection.
 *
 * @throws {AnswerTooLongError} Beyond `bytesMax`.
 */
export async function readBody(body: AsyncIterable<Uint8Array>, bytesMax: number): Promise<Buffer> {
  const pieces: Uint8Array[] = []
  let bytes = 0
  for await (const piece of body) {
    bytes += piece.byteLength
    if (bytes > bytesMax) {
      throw new AnswerTooLongError(`Cannot read answer: it has more than ${bytesMax} bytes`)
    }
    pieces.push(piece)
  }
  return Buffer.concat(pieces)
}
