import { badRequest } from './envelope.ts'
import type { Upload } from './params.ts'

/** One part of a multipart body. */
export interface Part extends Omit<Upload, 'fileName'> {
  name: string
  /** `undefined` for a part that is no file. */
  fileName: string | undefined
}

/**
 * Splits a `multipart/form-data` body that is already in memory.
 *
 * `Response.formData()` cannot do it: grammY writes file names without quotes, which Telegram takes
 * and the platform's reader refuses. It would also copy each file several times.
 *
 * @returns The parts that have a name, in order.
 * @throws {ApiError} 400 if the body is cut short or names no boundary.
 */
export function readMultipart(body: Buffer, contentType: string): Part[] {
  const boundary = readValue(contentType, 'boundary')
  if (!boundary) throw malformed()
  const delimiter = `--${boundary}`
  const parts: Part[] = []
  let position = indexAfter(body, delimiter, 0)
  while (body.toString('latin1', position, position + 2) !== '--') {
    const start = indexAfter(body, '\r\n\r\n', position)
    const next = indexAfter(body, `\r\n${delimiter}`, start)
    const headers = body.toString('utf8', position, start)
    const disposition = /^content-disposition:.*$/im.exec(headers)?.[0] ?? ''
    const name = readValue(disposition, 'name')
    if (name !== undefined) {
      parts.push({
        name,
        fileName: fileNameOf(disposition),
        mime: /^content-type:\s*([^\s;]+)/im.exec(headers)?.[1] ?? '',
        bytes: body.subarray(start, next - delimiter.length - 2),
      })
    }
    position = next
  }
  return parts
}

function indexAfter(body: Buffer, mark: string, from: number): number {
  const index = body.indexOf(mark, from)
  if (index < 0) throw malformed()
  return index + Buffer.byteLength(mark)
}

/** The name alone: some clients send the whole path. */
function fileNameOf(disposition: string): string | undefined {
  const encoded = /;\s*filename\*=utf-8''([^\s;]*)/i.exec(disposition)?.[1]
  const fileName = encoded === undefined ? readValue(disposition, 'filename') : decode(encoded)
  return fileName?.split(/[/\\]/).at(-1)
}

/** Reads a value with quotes or without. */
function readValue(header: string, name: string): string | undefined {
  const pattern = new RegExp(`;\\s*${name}=(?:"((?:\\\\["\\\\]|[^"])*)"|([^;]*))`, 'i')
  const [, quoted, bare] = pattern.exec(header) ?? []
  return quoted?.replace(/\\(["\\])/g, '$1') ?? bare?.trim()
}

function decode(encoded: string): string {
  try {
    return decodeURIComponent(encoded)
  } catch {
    throw malformed()
  }
}

function malformed() {
  return badRequest('failed to parse the multipart body')
}
