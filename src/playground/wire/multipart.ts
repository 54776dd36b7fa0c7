import { badRequest } from './envelope.ts'
import type { Upload } from './params.ts'

const BOUNDARY_CHARS_MAX = 70

export interface Part extends Omit<Upload, 'fileName'> {
  name: string
  /** `undefined` for a part that is no file. */
  fileName: string | undefined
}

/**
 * Splits a `multipart/form-data` body that is already in memory, by the rules of Telegram's own server:
 * values stand in quotes or without, and are percent-decoded; of the two ways to name a file it knows
 * `filename` alone, so a part that has only `filename*` is no file.
 *
 * `Response.formData()` cannot do it: grammY writes file names without quotes, which Telegram takes
 * and the platform's reader refuses. It would also copy each file several times.
 *
 * @returns The parts in order.
 * @throws {ApiError} 400 if the body is cut short, names no boundary or has a part without a name.
 */
export function readMultipart(body: Buffer, contentType: string): Part[] {
  const delimiter = `--${readBoundary(contentType)}`
  const parts: Part[] = []
  let position = indexAfter(body, delimiter, 0)
  while (body.toString('latin1', position, position + 2) !== '--') {
    const start = indexAfter(body, '\r\n\r\n', position)
    const next = indexAfter(body, `\r\n${delimiter}`, start)
    const headers = body.toString('utf8', position, start)
    const values = readDisposition(headers)
    const name = values.get('name')
    if (!name) throw badRequest('field name in multipart/form-data not found')
    parts.push({
      name,
      // The name alone: some clients send the whole path.
      fileName: values.get('filename')?.split(/[/\\]/).at(-1),
      mime: /^content-type:\s*([^\s;]+)/im.exec(headers)?.[1] ?? '',
      bytes: body.subarray(start, next - delimiter.length - 2),
    })
    position = next
  }
  return parts
}

function indexAfter(body: Buffer, mark: string, from: number): number {
  const index = body.indexOf(mark, from)
  if (index < 0) throw badRequest('failed to parse the multipart body')
  return index + Buffer.byteLength(mark)
}

function readBoundary(contentType: string): string {
  const [, quoted, bare] = /boundary\s*=\s*(?:"([^"]*)"|([^;]*))/i.exec(contentType) ?? []
  const boundary = quoted ?? bare?.trim()
  if (boundary === undefined) throw badRequest('boundary not found')
  if (boundary === '' || boundary.length > BOUNDARY_CHARS_MAX) {
    throw badRequest('boundary too big or empty')
  }
  return boundary
}

function readDisposition(headers: string): Map<string, string> {
  const text = /^content-disposition:\s*(.*)$/im.exec(headers)?.[1] ?? ''
  if (text !== '' && !text.startsWith('form-data;')) {
    throw badRequest('expected form-data content disposition')
  }
  const pairs = /;\s*([^=;\s]+)\s*=\s*(?:"((?:\\.|[^"\\])*)"|([^;]*))/gy
  pairs.lastIndex = 'form-data'.length
  const values = new Map<string, string>()
  for (const [, name = '', quoted, bare = ''] of text.matchAll(pairs)) {
    const value = quoted === undefined ? bare.trim() : quoted.replace(/\\(.)/g, '$1')
    values.set(name, urlDecode(value))
  }
  return values
}

/** Decodes what is percent-encoded in UTF-8. A `%` that begins nothing stays, as in Telegram's own server. */
export function urlDecode(text: string): string {
  return text.replace(/(?:%[0-9a-f]{2})+/gi, (encoded) =>
    Buffer.from(encoded.replaceAll('%', ''), 'hex').toString(),
  )
}
