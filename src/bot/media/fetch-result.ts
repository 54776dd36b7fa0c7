import { randomUUID } from 'node:crypto'
import { open, unlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { MediaKind } from '../../contract/tasks.ts'
import { FileAnswerError, FileRefusedError, fetchFile } from '../../platform/http/fetch-file.ts'
import type { MediaType } from '../../platform/http/media-type.ts'
import type { UrlGuard } from '../../platform/http/url-guard.ts'

/** The most that the Bot API takes as an upload is 50 MiB, with what surrounds the files in it. */
export const UPLOAD_BYTES_MAX = 50 * 1024 * 1024 - 64 * 1024

const PIECE_BYTES = 64 * 1024
const WHOLE_MS = 5 * 60_000
/** Too many requests, and what its server may answer better in a moment. */
const PASSING_STATUSES: ReadonlySet<number> = new Set([408, 421, 425, 429])

/**
 * Why a result was not fetched. `too_large`: it has more bytes than can be uploaded. `refused`: the link leads to something
 * else than the order, into our own network, or to nothing for good. `denied`: its server says no; `unavailable`: it did
 * not come. Both may work later.
 */
type ResultErrorCode = 'too_large' | 'refused' | 'denied' | 'unavailable'

export class ResultError extends Error {
  override readonly name = 'ResultError'
  readonly code: ResultErrorCode

  constructor(code: ResultErrorCode, message: string, cause?: unknown) {
    super(message, { cause })
    this.code = code
  }
}

/** A result on this machine's disk. Close its file. */
export interface FetchedResult {
  type: MediaType
  file: ScratchFile
}

/**
 * Fetches a finished result to disk. A result that is too large is not read to its end.
 *
 * @throws {ResultError} If it was not fetched.
 * @throws The signal's reason if it aborted.
 */
export async function fetchResult(
  url: string,
  rules: { kind: MediaKind; bytesMax: number; guard: UrlGuard; signal: AbortSignal },
): Promise<FetchedResult> {
  const { kind: media, signal } = rules
  const bounded = AbortSignal.any([signal, AbortSignal.timeout(WHOLE_MS)])
  try {
    return await fetchFile(url, { ...rules, media, signal: bounded }, async ({ type, bytes }) => ({
      type,
      file: await writeScratchFile(bytes),
    }))
  } catch (cause) {
    if (signal.aborted) throw signal.reason
    throw toResultError(cause)
  }
}

function toResultError(cause: unknown): ResultError {
  if (cause instanceof FileRefusedError) {
    const code = cause.code === 'too_large' ? 'too_large' : 'refused'
    return new ResultError(code, cause.message, cause)
  }
  const status = cause instanceof FileAnswerError ? cause.status : 0
  if (status === 410) return new ResultError('refused', 'Cannot fetch result: it is gone', cause)
  const isDenied = status >= 400 && status < 500 && !PASSING_STATUSES.has(status)
  const code = isDenied ? 'denied' : 'unavailable'
  return new ResultError(code, 'Cannot fetch result: it did not come', cause)
}

/** A file that has no name, so that it ends with this process, in every case. */
export interface ScratchFile {
  readonly bytes: number
  read(): AsyncIterable<Uint8Array<ArrayBuffer>>
  close(): Promise<void>
}

/**
 * Keeps bytes on disk, in the system's folder for such files (`TMPDIR`), instead of in memory.
 *
 * @throws What the pieces or the disk threw. Nothing is left of the file then.
 */
export async function writeScratchFile(pieces: AsyncIterable<Uint8Array>): Promise<ScratchFile> {
  const path = join(tmpdir(), `kopeck-${randomUUID()}`)
  const handle = await open(path, 'wx+', 0o600)
  try {
    // From here on only this process knows it, and no crash can leave it behind.
    await unlink(path)
    await handle.writeFile(pieces)
    const { size: bytes } = await handle.stat()
    return { bytes, read, close: () => handle.close() }
  } catch (error) {
    await handle.close()
    throw error
  }

  async function* read() {
    for (let position = 0; ; ) {
      // Its reader may hold on to a piece, so each has memory of its own.
      const piece = Buffer.allocUnsafeSlow(PIECE_BYTES)
      const { bytesRead } = await handle.read(piece, 0, piece.length, position)
      if (bytesRead === 0) return
      position += bytesRead
      yield piece.subarray(0, bytesRead)
    }
  }
}
