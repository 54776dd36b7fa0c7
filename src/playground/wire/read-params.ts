import type { IncomingMessage } from 'node:http'
import { isJsonObject, parseJson } from '../../platform/http/json.ts'
import { requestTooLarge } from './envelope.ts'
import { readMultipart } from './multipart.ts'
import { type Params, toTexts, type Upload } from './params.ts'

/** The bound of a whole request, files included. */
const BODY_BYTES_MAX = 50 * 1024 * 1024
/** An oversized body is read to its end, so that the client gets the answer, but not past this. */
const DISCARD_BYTES_MAX = 4 * BODY_BYTES_MAX
const PARAMS_BYTES_MAX = 1024 * 1024
const UPLOADS_MAX = 50

/**
 * Reads the parameters of a call: the query string, then the body. The first value of a name counts.
 *
 * Top-level strings of a JSON body are taken as they are; any other value is kept as its JSON text,
 * so an object and its serialised form are the same parameter. A body that is no JSON object is passed
 * over, as one of an unknown type is: some clients send `null` where a method has no parameters.
 *
 * @throws {ApiError} 413 beyond 50 MiB in all, 1 MiB of parameters or 50 files; 400 for broken parts.
 */
export async function readParams(request: IncomingMessage, query: string): Promise<Params> {
  const given = request.headers['content-type'] ?? ''
  const contentType = given.toLowerCase()
  const body = await readBody(request)
  const texts = new Map<string, string>()
  const uploads = new Map<string, Upload>()
  addAll(new URLSearchParams(query))
  if (contentType.includes('multipart/form-data') && body.length > 0) {
    for (const { name, fileName, mime, bytes } of readMultipart(body, given)) {
      if (fileName === undefined) addAll([[name, bytes.toString()]])
      else if (!uploads.has(name)) uploads.set(name, { fileName, mime, bytes })
    }
  } else if (contentType.includes('application/x-www-form-urlencoded')) {
    addAll(new URLSearchParams(body.toString()))
  } else if (contentType.includes('application/json')) {
    const parsed = parseJson(body.toString())
    if (isJsonObject(parsed)) addAll(toTexts(parsed))
  }
  const paramBytes = [...texts].flat().reduce((sum, text) => sum + Buffer.byteLength(text), 0)
  if (paramBytes > PARAMS_BYTES_MAX || uploads.size > UPLOADS_MAX) throw requestTooLarge()
  return { texts, uploads }

  function addAll(pairs: Iterable<readonly [string, string]>): void {
    for (const [name, value] of pairs) if (!texts.has(name)) texts.set(name, value)
  }
}

/** @throws {ApiError} 413 beyond 50 MiB. */
async function readBody(request: IncomingMessage): Promise<Buffer> {
  const pieces: Buffer[] = []
  let size = 0
  for await (const piece of request as AsyncIterable<Buffer>) {
    size += piece.length
    if (size > DISCARD_BYTES_MAX) break
    if (size <= BODY_BYTES_MAX) pieces.push(piece)
  }
  if (size > BODY_BYTES_MAX) throw requestTooLarge()
  return Buffer.concat(pieces)
}
