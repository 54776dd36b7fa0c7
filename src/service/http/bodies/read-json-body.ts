import type { IncomingMessage } from 'node:http'
import type { Readable, Transform } from 'node:stream'
import { setImmediate as nextTurnOfLoop } from 'node:timers/promises'
import type { FastifyRequest } from 'fastify'
import { ClientGoneError } from '../../chat/chat-client.ts'
import { Refusal } from '../refusals.ts'
import type { BodyAllowance } from './body-budget.ts'
import { openDecoder } from './decode-body.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The memory that the request's body may take. Set before it is read. */
    allowance: BodyAllowance
  }
}

/**
 * A message is three values, so that is a history of 33,000 messages. A value with a name that no other
 * has takes a microsecond or two to parse.
 */
const VALUES_MAX = 100_000
const DEPTH_MAX = 256

const VALUE_BYTES = 64

const [QUOTE, BACKSLASH, COMMA] = Buffer.from('"\\,')
const [LIST, LIST_END, OBJECT, OBJECT_END] = Buffer.from('[]{}')

/** Parsed at once; of larger bodies one at a time, with a turn of the event loop between the steps. */
const AT_ONCE_BYTES_MAX = 256 * 1024

const TOO_LARGE = new Refusal(413, 'The request body is too large.')
const CUT = new Refusal(400, 'The body is not as long as announced.')
const NOT_JSON = refuse('must be JSON')
const NOT_DECODED = refuse('must be coded as Content-Encoding says')
const TOO_DEEP = refuse(`must not be nested deeper than ${DEPTH_MAX}`)
const TOO_MANY = refuse(`must not have more than ${VALUES_MAX} values`)

/**
 * Creates the reader of all JSON bodies. It counts while a body comes and stops at the first byte too many;
 * only what is within every bound is parsed. Of a compressed body both count: what comes, and what it becomes.
 *
 * The reader throws a {@link Refusal}: 413 above the route's limit, 415 for a coding that is not read, 429 or 503
 * above the budget, 422 for what is no JSON or beyond its bounds, 400 for a body that breaks off. It throws a
 * {@link ClientGoneError} for a client that did not wait to be read.
 */
export function createBodyReader() {
  let lastTurn: Promise<unknown> = Promise.resolve()
  return readBody

  async function readBody(request: FastifyRequest, payload: IncomingMessage): Promise<unknown> {
    const decoder = openDecoder(payload)
    const onPiece = watch(request)
    const bytes = decoder
      ? await gatherDecoded(payload, decoder, { onCoded: watchLength(request), onPiece })
      : await gather(payload, onPiece)
    if (bytes.length > AT_ONCE_BYTES_MAX) return await inTurn(bytes, request)
    request.allowance.take(countValues(bytes) * VALUE_BYTES)
    return parse(bytes.toString())
  }

  async function inTurn(bytes: Buffer, { socket, allowance }: FastifyRequest): Promise<unknown> {
    const turn = lastTurn.then(async () => {
      await nextTurnOfLoop()
      if (socket.destroyed) throw new ClientGoneError()
      allowance.take(countValues(bytes) * VALUE_BYTES)
      await nextTurnOfLoop()
      const text = bytes.toString()
      await nextTurnOfLoop()
      const body = parse(text)
      await nextTurnOfLoop()
      return body
    })
    lastTurn = turn.catch(() => {})
    return await turn
  }
}

function watchLength({ routeOptions: { bodyLimit = 0 } }: FastifyRequest): (piece: Buffer) => void {
  let bytes = 0
  return (piece) => {
    bytes += piece.length
    if (bytes > bodyLimit) throw TOO_LARGE
  }
}

function watch(request: FastifyRequest): (piece: Buffer) => void {
  const { headers, routeOptions, allowance } = request
  const announced = headers['content-length']
  let bytes = 0
  let takenBytes = Number(announced ?? 0)
  if (takenBytes > (routeOptions.bodyLimit ?? 0)) throw TOO_LARGE
  allowance.take(takenBytes)
  const judgeLength = watchLength(request)
  return (piece) => {
    bytes += piece.length
    judgeLength(piece)
    allowance.take(Math.max(0, bytes - takenBytes))
    takenBytes = Math.max(bytes, takenBytes)
  }
}

/** Leaving an iterator early would close the connection before there is an answer: hence the events. */
function gather(
  payload: Readable,
  onPiece: (piece: Buffer) => void,
  refusal = CUT,
): Promise<Buffer> {
  const pieces: Buffer[] = []
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>()
  const onData = (piece: Buffer) => {
    try {
      onPiece(piece)
      pieces.push(piece)
    } catch (error) {
      payload.off('data', onData)
      reject(error)
    }
  }
  payload.on('data', onData)
  payload.once('end', () => resolve(Buffer.concat(pieces.splice(0))))
  payload.once('error', () => reject(refusal))
  return promise
}

interface DecodedWatch {
  onCoded: (piece: Buffer) => void
  onPiece: (piece: Buffer) => void
}

/** Nothing is decoded beyond the first piece too many: the decoder waits until what it has is taken. */
async function gatherDecoded(
  payload: IncomingMessage,
  decoder: Transform,
  { onCoded, onPiece }: DecodedWatch,
): Promise<Buffer> {
  const { promise: broken, reject } = Promise.withResolvers<never>()
  const onData = (piece: Buffer) => {
    try {
      onCoded(piece)
    } catch (error) {
      reject(error)
    }
  }
  payload.on('data', onData).once('error', () => reject(CUT))
  payload.pipe(decoder)
  try {
    return await Promise.race([gather(decoder, onPiece, NOT_DECODED), broken])
  } finally {
    payload.off('data', onData).unpipe(decoder)
    // What is left of it is thrown away.
    payload.resume()
    decoder.destroy()
  }
}

/**
 * Counts the lists, objects and members of a JSON text before it is parsed.
 *
 * 32 MB of `[],[],…` would become 458 MiB of heap. The counts mean nothing for text that is not JSON: the
 * parser refuses it.
 *
 * @throws {Refusal} 422 for more than {@link VALUES_MAX} values or {@link DEPTH_MAX} levels.
 */
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
      if (depth > DEPTH_MAX) throw TOO_DEEP
    } else if (byte === LIST_END || byte === OBJECT_END) depth -= 1
    if (values > VALUES_MAX) throw TOO_MANY
  }
  return values
}

function parse(text: string): unknown {
  try {
    // Some write the mark of Unicode text before it.
    return JSON.parse(text.charCodeAt(0) === 0xfeff ? text.slice(1) : text)
  } catch {
    throw NOT_JSON
  }
}

function refuse(msg: string): Refusal {
  return new Refusal(422, [{ loc: ['body'], msg }])
}
