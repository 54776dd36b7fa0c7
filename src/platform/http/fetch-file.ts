import { readHeader } from './exchange.ts'
import { findTarget, lookupAmong, type Target, type UrlGuard } from './find-target.ts'
import { createHttpClient } from './http-client.ts'
import { type Media, type MediaType, recogniseStream } from './media-type.ts'

/** A file may take as long as it takes: only silence is bounded. */
const TIMEOUTS = { connectMs: 10_000, silenceMs: 30_000 }
const HEADERS_MS_MAX = 30_000
const REDIRECTS_MAX = 5
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])

/** Why a file is not taken. */
export type FileRefusal = 'not_allowed' | 'too_large' | 'wrong_media'

/** A file that is not taken, and would not be another time. */
export class FileRefusedError extends Error {
  override readonly name = 'FileRefusedError'
  readonly code: FileRefusal

  constructor(code: FileRefusal, message: string) {
    super(message)
    this.code = code
  }
}

/** Its server answered, and not with the file. It may another time. */
export class FileAnswerError extends Error {
  override readonly name = 'FileAnswerError'
  readonly status: number

  constructor(status: number) {
    super(`Cannot fetch file: its server answered ${status}`)
    this.status = status
  }
}

/** The rules for a file that somebody else named. */
export interface FileRules {
  media: Media
  bytesMax: number
  guard: UrlGuard
}

/** A file as it comes. Its bytes end with an error beyond the bound. */
export interface OpenFile {
  type: MediaType
  bytes: AsyncIterable<Uint8Array>
}

/**
 * Fetches a file by a URL that somebody else named.
 *
 * Each redirect is judged like the URL itself, and each connection goes to an address that was judged, or through a
 * proxy to the name that was. The first bytes show what the file is.
 *
 * @param take Reads the bytes. The connection ends with it.
 * @throws {FileRefusedError} If it may not be fetched, is too large or is something else.
 * @throws {FileAnswerError} If its server answered with something else; the same call may work later.
 * @throws The signal's reason, or what else kept the file from coming; the same call may work later.
 */
export async function fetchFile<T>(
  url: string,
  rules: FileRules & { signal: AbortSignal },
  take: (file: OpenFile) => Promise<T>,
): Promise<T> {
  let next = url
  for (let redirects = 0; redirects <= REDIRECTS_MAX; redirects++) {
    const target = await judge(next, rules.guard)
    rules.signal.throwIfAborted()
    const fetched = await fetchFrom(target, rules, take)
    if ('taken' in fetched) return fetched.taken
    next = fetched.location
  }
  throw new Error(`Cannot fetch file: more than ${REDIRECTS_MAX} redirects`)
}

async function judge(url: string, guard: UrlGuard): Promise<Target> {
  // What a customer writes is judged as written; a link is made by a program, and may have letters of any kind.
  const target = await findTarget(URL.parse(url)?.href ?? url, guard)
  if (!('refusal' in target)) return target
  const message = `Cannot fetch file: its URL ${target.problem}`
  throw target.isLasting ? new FileRefusedError('not_allowed', message) : new Error(message)
}

async function fetchFrom<T>(
  target: Target,
  { media, bytesMax, signal }: FileRules & { signal: AbortSignal },
  take: (file: OpenFile) => Promise<T>,
): Promise<{ taken: T } | { location: string }> {
  const { proxies } = target
  const way = proxies === undefined ? { lookup: lookupAmong(target) } : { proxies }
  const http = createHttpClient({ ...TIMEOUTS, ...way })
  try {
    const { href: url } = target.url
    const answer = await http.open({
      method: 'GET',
      url,
      headers: {},
      headersMs: HEADERS_MS_MAX,
      signal,
    })
    if (answer.outcome !== 'answered') throw answer.cause
    const { status, headers, body } = answer
    if (REDIRECTS.has(status)) {
      return { location: String(URL.parse(readHeader(headers, 'location') ?? '', target.url.href)) }
    }
    if (status !== 200) throw new FileAnswerError(status)
    if (Number(headers['content-length'] ?? 0) > bytesMax) throw fileTooLarge(bytesMax)
    const { type, bytes } = await recogniseStream(upTo(bytesMax, body))
    return { taken: await take({ type: expectMedia(type, media), bytes }) }
  } finally {
    // What is left of the answer is of no use.
    http.close().catch(() => {})
  }
}

/** @throws {FileRefusedError} If a file is not what it should be. */
export function expectMedia(type: MediaType | undefined, media: Media): MediaType {
  if (type?.media === media) return type
  throw new FileRefusedError('wrong_media', `Cannot take file: it is no ${media} of a known format`)
}

async function* upTo(
  bytesMax: number,
  pieces: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array, void> {
  let size = 0
  for await (const piece of pieces) {
    size += piece.byteLength
    if (size > bytesMax) throw fileTooLarge(bytesMax)
    yield piece
  }
}

/** The refusal of a file that has more bytes than are taken. */
export function fileTooLarge(bytesMax: number): FileRefusedError {
  return new FileRefusedError('too_large', `Cannot take file: it has more than ${bytesMax} bytes`)
}
