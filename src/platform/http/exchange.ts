import type { Dispatcher } from 'undici'

/** An answer's headers by their names in small letters. */
export type HttpHeaders = Readonly<Record<string, string | string[] | undefined>>

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

/** The value of a header; the first where it came several times. */
export function readHeader(headers: HttpHeaders, name: string): string | undefined {
  const value = headers[name]
  return Array.isArray(value) ? value[0] : value
}

/**
 * Reads how long the other side asks to be left alone: its `Retry-After` in seconds, or as an HTTP date.
 *
 * A date is counted from the answer's own `Date`, so that a clock that is wrong does no harm.
 *
 * @returns Milliseconds to wait, ≥ 0; undefined if the header is missing or is neither.
 */
export function readRetryAfterMs(headers: HttpHeaders, now = new Date()): number | undefined {
  const text = readHeader(headers, 'retry-after')?.trim() ?? ''
  if (/^\d{1,9}(\.\d+)?$/.test(text)) return Math.ceil(Number(text) * 1000)
  // Date.parse() finds a date in almost anything; HTTP dates begin with the day of the week.
  const until = /^[A-Z][a-z]{2,8},? /.test(text) ? Date.parse(text) : Number.NaN
  if (Number.isNaN(until)) return undefined
  return Math.max(0, until - (readDateMs(headers) ?? now.getTime()))
}

/** When the other side answered, by its own clock, in milliseconds since 1970; undefined if it does not say. */
export function readDateMs(headers: HttpHeaders): number | undefined {
  const ms = Date.parse(readHeader(headers, 'date') ?? '')
  return Number.isNaN(ms) ? undefined : ms
}
