import type { IncomingMessage } from 'node:http'
import { isJsonObject, parseJson } from '../../platform/http/json.ts'
import { requestTooLarge } from './envelope.ts'
import { readMultipart } from './multipart.ts'
import { type Params, toTexts, type Upload } from './params.ts'
import { readBody } from './read-body.ts'

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
  const contentType = request.headers['content-type'] ?? ''
  return parseParams({ query, contentType, body: await readBody(request) })
}

/** The same of a body that is already there. */
function parseParams(given: { query?: string; contentType: string; body: Buffer }): Params {
  const { query = '', body } = given
  const contentType = given.contentType.toLowerCase()
  const texts = new Map<string, string>()
  const uploads = new Map<string, Upload>()
  addAll(new URLSearchParams(query))
  if (body.length > 0) {
    if (contentType.includes('multipart/form-data')) {
      for (const { name, fileName, mime, bytes } of readMultipart(body, given.contentType)) {
        if (fileName === undefined) addAll([[name, bytes.toString()]])
        else if (!uploads.has(name)) uploads.set(name, { fileName, mime, bytes })
      }
      if (uploads.size > UPLOADS_MAX) throw requestTooLarge()
    } else if (contentType.includes('application/x-www-form-urlencoded')) {
      addAll(new URLSearchParams(body.toString()))
    } else if (contentType.includes('application/json')) {
      const parsed = parseJson(body.toString())
      if (isJsonObject(parsed)) addAll(toTexts(parsed))
    }
  }
  let paramBytes = 0
  for (const [name, value] of texts)
    paramBytes += Buffer.byteLength(name) + Buffer.byteLength(value)
  if (paramBytes > PARAMS_BYTES_MAX) throw requestTooLarge()
  return { texts, uploads }

  function addAll(pairs: Iterable<readonly [string, string]>): void {
    for (const [name, value] of pairs) if (!texts.has(name)) texts.set(name, value)
  }
}
