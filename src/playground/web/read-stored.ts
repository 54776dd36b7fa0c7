import { createReadStream } from 'node:fs'
import { open } from 'node:fs/promises'
import { Readable } from 'node:stream'
import type { ByteRange } from '../../platform/http/byte-range.ts'
import { recogniseMedia } from '../../platform/http/media-type.ts'
import type { StoredFile } from '../world/files.ts'

const HEAD_BYTES = 64

/** The bytes of a file as they are kept: a test may have given it a larger size. */
export interface StoredBytes {
  size: number
  /** The type if a browser may show it by itself; undefined for every other file, regardless of its name. */
  contentType: string | undefined
  read(range?: ByteRange): Readable
}

/** @returns Undefined for a file whose bytes are kept no longer. */
export async function openStored({ bytes, path }: StoredFile): Promise<StoredBytes | undefined> {
  if (bytes !== undefined) {
    return {
      size: bytes.length,
      contentType: recogniseMedia(bytes)?.contentType,
      read: ({ start = 0, end = bytes.length - 1 } = { start: 0, end: bytes.length - 1 }) =>
        Readable.from([bytes.subarray(start, end + 1)]),
    }
  }
  if (path === undefined) return undefined
  const found = await look(path)
  if (found === undefined) return undefined
  const { size, head } = found
  return {
    size,
    contentType: recogniseMedia(head)?.contentType,
    read: (range) => createReadStream(path, range),
  }
}

/** @returns Undefined for a file that somebody removed. */
async function look(path: string): Promise<{ size: number; head: Buffer } | undefined> {
  const file = await open(path).catch(passOverAbsent)
  if (file === undefined) return undefined
  try {
    const { size } = await file.stat()
    const { buffer, bytesRead } = await file.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0)
    return { size, head: buffer.subarray(0, bytesRead) }
  } finally {
    await file.close()
  }
}

function passOverAbsent(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error
}
