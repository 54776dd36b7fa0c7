import type { MediaKind } from '../../../contract/tasks.ts'
import { FileAnswerError, FileRefusedError, fetchFile } from '../../../platform/http/fetch-file.ts'
import type { UrlGuard } from '../../../platform/http/find-target.ts'
import type { MediaType } from '../../../platform/http/media-type.ts'
import { type ScratchFile, writeScratchFile } from './scratch-file.ts'

/** The most that the Bot API takes as an upload is 50 MiB, with what surrounds the files in it. */
export const UPLOAD_BYTES_MAX = 50 * 1024 * 1024 - 64 * 1024

const WHOLE_MS = 5 * 60_000
/** Too many requests, and what its server may answer better in a moment. */
const PASSING_STATUSES: ReadonlySet<number> = new Set([408, 421, 425, 429])

/** The result has more bytes than can be uploaded. */
export class ResultTooLargeError extends Error {
  override readonly name = 'ResultTooLargeError'
  readonly code = 'result_too_large'
}

/** The link leads where nothing is fetched from, to something else than what was ordered, or to nothing for good. */
export class ResultRefusedError extends Error {
  override readonly name = 'ResultRefusedError'
  readonly code = 'result_refused'
}

/** The result could not be fetched now. */
export class ResultUnavailableError extends Error {
  override readonly name = 'ResultUnavailableError'
  readonly code = 'result_unavailable'
  readonly isDenied: boolean

  constructor(message: string, { isDenied, cause }: { isDenied: boolean; cause: unknown }) {
    super(message, { cause })
    this.isDenied = isDenied
  }
}

/** A result on this machine's disk. Close its file. */
export interface FetchedResult {
  type: MediaType
  file: ScratchFile
}

/** The bounds within which a result is fetched. */
export interface FetchRules {
  kind: MediaKind
  bytesMax: number
  guard: UrlGuard
  signal: AbortSignal
}

/**
 * Fetches a finished result to disk. A result that is too large is not read to its end.
 *
 * @throws {ResultTooLargeError} Beyond `bytesMax`.
 * @throws {ResultRefusedError} If it is not to be fetched, or is not what was ordered.
 * @throws {ResultUnavailableError} If it did not come; the same call may work later.
 * @throws The signal's reason if it aborted.
 */
export async function fetchResult(
  url: string,
  { kind: media, bytesMax, guard, signal }: FetchRules,
): Promise<FetchedResult> {
  const bounded = AbortSignal.any([signal, AbortSignal.timeout(WHOLE_MS)])
  try {
    return await fetchFile(
      url,
      { media, bytesMax, guard, signal: bounded },
      async ({ type, bytes }) => ({ type, file: await writeScratchFile(bytes) }),
    )
  } catch (cause) {
    if (signal.aborted) throw signal.reason
    throw toResultError(cause)
  }
}

function toResultError(cause: unknown): Error {
  if (cause instanceof FileRefusedError) {
    const { message, code } = cause
    if (code === 'too_large') return new ResultTooLargeError(message, { cause })
    return new ResultRefusedError(message, { cause })
  }
  const status = cause instanceof FileAnswerError ? cause.status : 0
  if (status === 410) return new ResultRefusedError('Cannot fetch result: it is gone', { cause })
  const isDenied = status >= 400 && status < 500 && !PASSING_STATUSES.has(status)
  return new ResultUnavailableError('Cannot fetch result: it did not come', { isDenied, cause })
}
