/**
 * Reads JSON bodies within bounds of size, nesting and memory (`docs/service.md`, Bodies).
 *
 * Invariant: a body counts for its account from its first byte until its request has ended, in each process by itself.
 */
import type { IncomingMessage } from 'node:http'
import type { FastifyRequest } from 'fastify'
import { ClientGoneError } from '../chat/chat-client.ts'
import { Refusal, refuseFields } from './refusals.ts'

declare module 'fastify' {
  interface FastifyRequest {
    bodyBytes: number
  }
}

const MEBIBYTE = 1024 * 1024

// A heap of 512 MB bears these: text may take two bytes in memory for each byte, and exists twice while it is sent on.
const OPEN_BYTES_MAX = 96 * MEBIBYTE
const ACCOUNT_BYTES_MAX = 48 * MEBIBYTE
/** A smaller body is never refused for lack of memory. */
const SMALL_BYTES_MAX = 32 * 1024
/** Bodies come and go within seconds. */
const FULL_MS = 1000

/** A message is three values: this is a history of 33,000 messages. */
const VALUES_MAX = 100_000
const VALUE_BYTES = 64
const DEPTH_MAX = 256

const [QUOTE, BACKSLASH, COMMA] = Buffer.from('"\\,')
const [LIST, LIST_END, OBJECT, OBJECT_END] = Buffer.from('[]{}')

// It skips the byte order mark that some clients write.
const UTF8 = new TextDecoder()

export class Bodies {
  readonly #bytesOf = new Map<number, number>()
  #openBytes = 0

  /** Reads one body. @throws {Refusal} 413, 415 or 422; 429 or 503 if there is no room for it. */
  async read(request: FastifyRequest, payload: IncomingMessage): Promise<unknown> {
    const { 'content-encoding': coding = 'identity' } = request.headers
    if (coding !== 'identity') throw new Refusal('wrong_coding')
    const bytes = await this.#gather(request, payload)
    this.#take(request, countValues(bytes) * VALUE_BYTES)
    try {
      return JSON.parse(UTF8.decode(bytes))
    } catch {
      throw refuseBody('must be JSON')
    }
  }

  /** Frees the memory of a body when its request has ended. */
  end(request: FastifyRequest): void {
    if (request.bodyBytes > 0) this.#count(request, -request.bodyBytes)
  }

  /** Iterating would take 4 µs a request more than these events do. */
  #gather(request: FastifyRequest, payload: IncomingMessage): Promise<Buffer> {
    const { bodyLimit = 0 } = request.routeOptions
    const announced = request.headers['content-length']
    if (Number(announced ?? 0) > bodyLimit) throw new Refusal('large_body')
    this.#take(request, Number(announced ?? 0))
    const { promise, resolve, reject } = Promise.withResolvers<Buffer>()
    const pieces: Buffer[] = []
    let bytes = 0
    const onData = (piece: Buffer) => {
      try {
        bytes += piece.length
        if (bytes > bodyLimit) throw new Refusal('large_body')
        if (announced === undefined) this.#take(request, piece.length)
        pieces.push(piece)
      } catch (error) {
        payload.off('data', onData)
        reject(error)
      }
    }
    payload.on('data', onData)
    payload.once('end', () => resolve(Buffer.concat(pieces.splice(0))))
    payload.once('error', () => reject(new ClientGoneError()))
    return promise
  }

  #take(request: FastifyRequest, bytes: number): void {
    const ofAccount = this.#count(request, bytes)
    const isAccountFull = ofAccount > ACCOUNT_BYTES_MAX
    const isSmall = request.bodyBytes <= SMALL_BYTES_MAX
    if (isSmall || !(isAccountFull || this.#openBytes > OPEN_BYTES_MAX)) return
    // If several bodies that grow together waited, all of them would be refused.
    this.end(request)
    throw isAccountFull
      ? new Refusal('too_many', {
          detail: 'Too many large requests at once.',
          retryAfterMs: FULL_MS,
        })
      : new Refusal('unavailable', {
          detail: 'The service has too many large requests at once.',
          retryAfterMs: FULL_MS,
        })
  }

  /** Returns the bytes of the account. */
  #count(request: FastifyRequest, bytes: number): number {
    const { id } = request.account
    const ofAccount = (this.#bytesOf.get(id) ?? 0) + bytes
    request.bodyBytes += bytes
    this.#openBytes += bytes
    if (ofAccount > 0) this.#bytesOf.set(id, ofAccount)
    else this.#bytesOf.delete(id)
    return ofAccount
  }
}

/** Counts values before parsing: 32 MB of `[],[],…` would become 458 MiB of heap. Text that is not JSON counts wrongly. */
function countValues(bytes: Buffer): number {
  let [values, depth, isInString] = [0, 0, false]
  for (let index = 0; index < bytes.length; index += 1) {
    const byte = bytes[index]
    if (byte === QUOTE) isInString = !isInString
    else if (isInString) {
      // The escaped character does not end the string.
      if (byte === BACKSLASH) index += 1
    } else if (byte === COMMA) values += 1
    else if (byte === LIST || byte === OBJECT) {
      values += 1
      depth += 1
      if (depth > DEPTH_MAX) throw refuseBody(`must not be nested deeper than ${DEPTH_MAX}`)
    } else if (byte === LIST_END || byte === OBJECT_END) depth -= 1
    if (values > VALUES_MAX) throw refuseBody(`must not have more than ${VALUES_MAX} values`)
  }
  return values
}

function refuseBody(msg: string): Refusal {
  return refuseFields([{ loc: ['body'], msg }])
}
