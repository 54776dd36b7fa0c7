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
/** Too many requests, and refusals that may end in a moment. */
const PASSING_STATUSES: ReadonlySet<number> = new Set([408, 421, 425, 429])

/**
 * `too_large` to upload; `refused`: the link leads elsewhere, into our own network, or to nothing for good; `denied` by
 * its server; `unavailable`: it did not arrive. The last two may work later.
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

/** The caller closes the file. */
export interface FetchedResult {
  type: MediaType
  file: ScratchFile
}

/**
 * Stops reading a result that is too large.
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

/** A file without a name, so that it always ends with this process. */
export interface ScratchFile {
  readonly bytes: number
  read(): AsyncIterable<Uint8Array<ArrayBuffer>>
  close(): Promise<void>
}

/** Writes to `TMPDIR` instead of memory. Leaves nothing there if the pieces or the disk throw. */
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
