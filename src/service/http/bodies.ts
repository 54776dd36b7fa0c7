/**
 * Reads JSON bodies within bounds of size, nesting and memory (`docs/service.md`, Bodies).
 *
 * Invariant: a body counts for its account from its first byte until its request has ended, in each process by itself.
 */
import type { IncomingMessage } from 'node:http'
import { setImmediate as nextTurnOfLoop } from 'node:timers/promises'
import { promisify } from 'node:util'
import { gunzip, inflate } from 'node:zlib'
import type { FastifyRequest } from 'fastify'
import { ClientGoneError } from '../chat/chat-client.ts'
import { Refusal, refuseFields } from './refusals.ts'

declare module 'fastify' {
  interface FastifyRequest {
    bodyBytes: number
  }
}

const MEBIBYTE = 1024 * 1024
const MINUTE_MS = 60_000

// A heap of 512 MB bears these: text may take two bytes in memory for each byte, and exists twice while it is sent on.
const OPEN_BYTES_MAX = 96 * MEBIBYTE
const ACCOUNT_BYTES_MAX = 48 * MEBIBYTE
/** The bound for one account's refused bodies, at once and again in each minute. */
const REFUSED_BYTES_MAX = 64 * MEBIBYTE
/** A smaller body is always let in, and refused for nothing: its refusal is cheap. */
const SMALL_BYTES_MAX = 32 * 1024
// Bodies come and go within seconds.
const ACCOUNT_FULL = new Refusal('too_many', {
  detail: 'Too many large requests at once.',
  retryAfterMs: 1000,
})
const SERVICE_FULL = new Refusal('unavailable', {
  detail: 'The service has too many large requests at once.',
  retryAfterMs: 1000,
})

/** A message is three values: this is a history of 33,000 messages. */
const VALUES_MAX = 100_000
const VALUE_BYTES = 64
const DEPTH_MAX = 256
/** Larger bodies are parsed one at a time, with a turn of the event loop between the steps. */
const AT_ONCE_BYTES_MAX = 256 * 1024

const [QUOTE, BACKSLASH, COMMA] = Buffer.from('"\\,')
const [LIST, LIST_END, OBJECT, OBJECT_END] = Buffer.from('[]{}')

// They take little memory; decoders of Brotli and Zstandard take the window that a body asks for.
const DECODERS = {
  gzip: promisify(gunzip),
  'x-gzip': promisify(gunzip),
  deflate: promisify(inflate),
}
type Decode = (typeof DECODERS)['gzip']

// It leaves out the mark of Unicode text that some clients write first.
const UTF8 = new TextDecoder()

interface AccountUse {
  openBytes: number
  /** The share of refused bodies, as it was at `refusedAtMs`; since then it has become less. */
  refusedBytes: number
  refusedAtMs: number
}

export class Bodies {
  readonly #uses = new Map<number, AccountUse>()
  #openBytes = 0
  #lastTurn: Promise<unknown> = Promise.resolve()

  /** Reads one body. @throws {Refusal} 413, 415 or 422; 429 or 503 if there is no room for it. */
  async read(request: FastifyRequest, payload: IncomingMessage): Promise<unknown> {
    const decode = findDecoder(request)
    const coded = await this.#gather(request, payload)
    if (decode === undefined && coded.length <= AT_ONCE_BYTES_MAX) {
      this.#take(request, countValues(coded) * VALUE_BYTES)
      return parse(UTF8.decode(coded))
    }
    const turn = this.#lastTurn.then(async () => {
      await nextTurnOfLoop()
      if (request.socket.destroyed) throw new ClientGoneError()
      const bytes = decode === undefined ? coded : await this.#decode(request, coded, decode)
      this.#take(request, countValues(bytes) * VALUE_BYTES)
      await nextTurnOfLoop()
      const text = UTF8.decode(bytes)
      await nextTurnOfLoop()
      return parse(text)
    })
    this.#lastTurn = turn.then(nextTurnOfLoop, () => {})
    return await turn
  }

  /** Returns the memory of a body. Call it once, when its request has ended. */
  end(request: FastifyRequest, status: number): void {
    const { bodyBytes, account } = request
    if (bodyBytes === 0) return
    const use = this.#useOf(account.id)
    this.#count(request, use, -bodyBytes)
    const isRefused = status >= 400 && status < 500
    if (isRefused && bodyBytes > SMALL_BYTES_MAX) use.refusedBytes += bodyBytes
    if (use.openBytes === 0 && use.refusedBytes === 0) this.#uses.delete(account.id)
  }

  /** Iterating would take 4 µs a request more than these events do. */
  #gather(request: FastifyRequest, payload: IncomingMessage): Promise<Buffer> {
    const limit = request.routeOptions.bodyLimit ?? 0
    const announced = request.headers['content-length']
    if (Number(announced ?? 0) > limit) throw new Refusal('large_body')
    this.#take(request, Number(announced ?? 0))
    const { promise, resolve, reject } = Promise.withResolvers<Buffer>()
    const pieces: Buffer[] = []
    let bytes = 0
    const onData = (piece: Buffer) => {
      try {
        bytes += piece.length
        if (bytes > limit) throw new Refusal('large_body')
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

  async #decode(request: FastifyRequest, coded: Buffer, decode: Decode): Promise<Buffer> {
    const maxOutputLength = request.routeOptions.bodyLimit ?? 0
    const bytes = await decode(coded, { maxOutputLength }).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ERR_BUFFER_TOO_LARGE') throw new Refusal('large_body')
      throw refuseBody('must be coded as Content-Encoding says')
    })
    this.#take(request, Math.max(0, bytes.length - coded.length))
    return bytes
  }

  #take(request: FastifyRequest, bytes: number): void {
    const use = this.#useOf(request.account.id)
    const taken = request.bodyBytes + bytes
    this.#count(request, use, bytes)
    if (taken <= SMALL_BYTES_MAX) return
    const excess = use.refusedBytes + taken - REFUSED_BYTES_MAX
    const isFull = this.#openBytes > OPEN_BYTES_MAX
    if (excess <= 0 && use.openBytes <= ACCOUNT_BYTES_MAX && !isFull) return
    // If several bodies that grow together waited, all of them would be refused.
    this.#count(request, use, -taken)
    if (excess > 0) {
      const retryAfterMs = (excess * MINUTE_MS) / REFUSED_BYTES_MAX
      throw new Refusal('too_many', {
        detail: 'Too many large requests were refused.',
        retryAfterMs,
      })
    }
    throw use.openBytes + taken > ACCOUNT_BYTES_MAX ? ACCOUNT_FULL : SERVICE_FULL
  }

  #count(request: FastifyRequest, use: AccountUse, bytes: number): void {
    request.bodyBytes += bytes
    use.openBytes += bytes
    this.#openBytes += bytes
  }

  #useOf(accountId: number): AccountUse {
    const nowMs = performance.now()
    const use = this.#uses.get(accountId) ?? { openBytes: 0, refusedBytes: 0, refusedAtMs: nowMs }
    const forgotten = ((nowMs - use.refusedAtMs) * REFUSED_BYTES_MAX) / MINUTE_MS
    use.refusedBytes = Math.max(0, use.refusedBytes - forgotten)
    use.refusedAtMs = nowMs
    this.#uses.set(accountId, use)
    return use
  }
}

function findDecoder({ headers }: FastifyRequest): Decode | undefined {
  const coding = headers['content-encoding']?.trim().toLowerCase() ?? ''
  if (coding === '' || coding === 'identity') return undefined
  const [, decode] = Object.entries(DECODERS).find(([name]) => name === coding) ?? []
  if (decode === undefined) throw new Refusal('wrong_coding')
  return decode
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

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw refuseBody('must be JSON')
  }
}

function refuseBody(msg: string): Refusal {
  return refuseFields([{ loc: ['body'], msg }])
}
