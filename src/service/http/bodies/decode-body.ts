import type { IncomingMessage } from 'node:http'
import type { Transform } from 'node:stream'
import { createGunzip, createInflate } from 'node:zlib'
import { Refusal } from '../refusals.ts'

/**
 * The codings that are read: their decoders take some tens of kilobytes. One of Brotli or Zstandard takes the window that
 * a body asks for, of many megabytes, which no count of its bytes would see.
 */
const DECODERS: Readonly<Record<string, () => Transform>> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
}

const NO_CODING = new Refusal(415, 'Content-Encoding must be gzip or deflate, or none.')

/**
 * Opens what decodes a body by its `Content-Encoding`.
 *
 * @returns Undefined for a body that is as it is.
 * @throws {Refusal} 415 for another coding, or several on top of each other.
 */
export function openDecoder({ headers }: IncomingMessage): Transform | undefined {
  const coding = headers['content-encoding']?.trim().toLowerCase() ?? ''
  if (coding === '' || coding === 'identity') return undefined
  const open = Object.hasOwn(DECODERS, coding) ? DECODERS[coding] : undefined
  if (open === undefined) throw NO_CODING
  return open()
}
