import { readBody } from '../../../http/exchange.ts'
import { FileRefusedError, fetchFile } from '../../../http/fetch-file.ts'
import type { UrlGuard } from '../../../http/find-target.ts'

/** The most that the Bot API takes as an upload. */
export const CLIP_BYTES_MAX = 50 * 1024 * 1024

const WHOLE_MS = 5 * 60_000

/** The clip has more bytes than can be uploaded. */
export class ClipTooLargeError extends Error {
  override readonly name = 'ClipTooLargeError'
  readonly code = 'clip_too_large'
}

/** The link leads where nothing is fetched from, or to something that is no clip. */
export class ClipRefusedError extends Error {
  override readonly name = 'ClipRefusedError'
  readonly code = 'clip_refused'
}

/** The clip could not be fetched now. */
export class ClipUnavailableError extends Error {
  override readonly name = 'ClipUnavailableError'
  readonly code = 'clip_unavailable'
}

/**
 * Fetches a finished clip.
 *
 * @param guard What keeps a link that the service names out of our own network.
 * @throws {ClipTooLargeError} Beyond `CLIP_BYTES_MAX`.
 * @throws {ClipRefusedError} If it is not to be fetched, or is no clip.
 * @throws {ClipUnavailableError} If it did not come; the same call may work later.
 * @throws The signal's reason if it aborted.
 */
export async function fetchClip(
  url: string,
  { guard, signal }: { guard: UrlGuard; signal: AbortSignal },
): Promise<Uint8Array> {
  const bounded = AbortSignal.any([signal, AbortSignal.timeout(WHOLE_MS)])
  const rules = { media: 'video', bytesMax: CLIP_BYTES_MAX, guard, signal: bounded } as const
  try {
    return await fetchFile(url, rules, ({ bytes }) => readBody(bytes, CLIP_BYTES_MAX))
  } catch (cause) {
    if (signal.aborted) throw signal.reason
    const isRefused = cause instanceof FileRefusedError
    if (!isRefused) throw new ClipUnavailableError('Cannot fetch clip: it did not come', { cause })
    if (cause.code === 'too_large') throw new ClipTooLargeError(cause.message, { cause })
    throw new ClipRefusedError(cause.message, { cause })
  }
}
