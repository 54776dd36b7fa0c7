import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'
import { interceptors, request } from 'undici'
import { AnswerTooLongError, readBody } from '../../http/exchange.ts'
import { createFileAgent } from '../../http/file-agent.ts'

/** The most that the Bot API takes as an upload. */
export const CLIP_BYTES_MAX = 50 * 1024 * 1024

const WHOLE_MS = 5 * 60_000
const REDIRECTS_MAX = 3

/** The clip has more bytes than can be uploaded. */
export class ClipTooLargeError extends Error {
  override readonly name = 'ClipTooLargeError'
  readonly code = 'clip_too_large'
}

/** The clip could not be fetched now. */
export class ClipUnavailableError extends Error {
  override readonly name = 'ClipUnavailableError'
  readonly code = 'clip_unavailable'
}

/**
 * Whether Telegram, or a user, may be able to fetch a URL: http(s) with a host that is not plainly
 * of this machine or this network. A name is not looked up: Telegram says so if it finds nothing.
 */
export function isPublicUrl(text: string): boolean {
  const url = URL.parse(text)
  if (url === null || !/^https?:$/.test(url.protocol)) return false
  const host = url.hostname.replace(/^\[|\]$/g, '')
  if (isIP(host) !== 0) return ipaddr.process(host).range() === 'unicast'
  return host.includes('.') && !/(^|\.)(localhost|local|internal|lan|test)\.?$/i.test(host)
}

/**
 * Fetches a finished clip.
 *
 * @throws {ClipTooLargeError} Beyond `CLIP_BYTES_MAX`.
 * @throws {ClipUnavailableError} If it did not come; the same call may work later.
 * @throws The signal's reason if it aborted.
 */
export async function fetchClip(url: string, signal: AbortSignal): Promise<Uint8Array> {
  const agent = createFileAgent()
  try {
    const { statusCode, headers, body } = await request(url, {
      dispatcher: agent.compose(interceptors.redirect({ maxRedirections: REDIRECTS_MAX })),
      signal: AbortSignal.any([signal, AbortSignal.timeout(WHOLE_MS)]),
    })
    if (statusCode !== 200) throw new ClipUnavailableError(`Cannot fetch clip: ${statusCode}`)
    if (Number(headers['content-length'] ?? 0) > CLIP_BYTES_MAX) throw tooLarge()
    const bytes = await readBody(body, CLIP_BYTES_MAX)
    if (bytes.length === 0) throw new ClipUnavailableError('Cannot fetch clip: it is empty')
    return bytes
  } catch (error) {
    if (signal.aborted) throw signal.reason
    if (error instanceof AnswerTooLongError) throw tooLarge()
    if (error instanceof ClipTooLargeError || error instanceof ClipUnavailableError) throw error
    throw new ClipUnavailableError('Cannot fetch clip: no whole answer came', { cause: error })
  } finally {
    // The rest of the answer is of no use.
    agent.destroy().catch(() => {})
  }
}

function tooLarge(): ClipTooLargeError {
  return new ClipTooLargeError(`Cannot fetch clip: it has more than ${CLIP_BYTES_MAX} bytes`)
}
