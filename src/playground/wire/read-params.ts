import type { IncomingMessage } from 'node:http'
import { isJsonObject, parseJson } from '../../http/json.ts'
import { badRequest, requestTooLarge } from './envelope.ts'
import { readMultipart } from './multipart.ts'
import { type Params, toTexts, type Upload } from './params.ts'

const BODY_BYTES_MAX = 50 * 1024 * 1024
/** An oversized body is read to its end, so that the client hears the answer, but not past this. */
const DISCARD_BYTES_MAX = 4 * BODY_BYTES_MAX
const PARAMS_BYTES_MAX = 1024 * 1024
const UPLOADS_MAX = 50

/**
 * Reads the parameters of a call: query string first, then the body, which wins.
 *
 * Top-level strings of a JSON body are taken as they are; any other value is kept as its JSON text,
 * so an object and its serialised form are the same parameter.
 *
 * @throws {ApiError} 413 beyond 50 MiB in all, 1 MiB of parameters or 50 files; 400 for bad JSON.
 */
export async function readParams(request: IncomingMessage, query: string): Promise<Params> {
  const contentType = request.headers['content-type'] ?? ''
  return parseParams({ query, contentType, body: await readBody(request) })
}

/** The same of a body that is already there. */
export function parseParams(given: { query?: string; contentType: string; body: Buffer }): Params {
  const { query = '', contentType, body } = given
  const texts = new Map<string, string>(new URLSearchParams(query))
  const uploads = new Map<string, Upload>()
  if (body.length > 0) {
    if (/^application\/json\b/i.test(contentType)) readJson(body, texts)
    else if (/^application\/x-www-form-urlencoded\b/i.test(contentType)) {
      for (const [name, value] of new URLSearchParams(body.toString())) texts.set(name, value)
    } else if (/^multipart\/form-data\b/i.test(contentType)) {
      for (const { name, fileName, mime, bytes } of readMultipart(body, contentType)) {
        if (fileName === undefined) texts.set(name, bytes.toString())
        else uploads.set(name, { fileName, mime, bytes })
      }
      if (uploads.size > UPLOADS_MAX) throw requestTooLarge()
    }
  }
  let paramBytes = 0
  for (const [name, value] of texts)
    paramBytes += Buffer.byteLength(name) + Buffer.byteLength(value)
  if (paramBytes > PARAMS_BYTES_MAX) throw requestTooLarge()
  return { texts, uploads }
}

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > DISCARD_BYTES_MAX) break
    if (size <= BODY_BYTES_MAX) chunks.push(chunk)
    else chunks.length = 0
  }
  if (size > BODY_BYTES_MAX) throw requestTooLarge()
  return Buffer.concat(chunks)
}

function readJson(body: Buffer, texts: Map<string, string>): void {
  const parsed = parseJson(body.toString())
  if (!isJsonObject(parsed)) throw badRequest('JSON object expected')
  for (const [name, value] of toTexts(parsed)) texts.set(name, value)
}
