import { createHttpClient, readHeader, upTo } from './http-client.ts'
import { type Media, type MediaType, recogniseStream } from './media-type.ts'
import { findTarget, lookupAmong, type Target, type UrlGuard } from './url-guard.ts'

/** A file may take any time as long as bytes arrive. */
const TIMEOUTS = { connectMs: 10_000, silenceMs: 30_000 }
const HEADERS_MS_MAX = 30_000
const REDIRECTS_MAX = 5
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])

export type FileRefusal = 'not_allowed' | 'too_large' | 'wrong_media'

export class FileRefusedError extends Error {
  override readonly name = 'FileRefusedError'
  readonly code: FileRefusal

  constructor(code: FileRefusal, message: string) {
    super(message)
    this.code = code
  }
}

/** The server answered without the file; a repeat may work. */
export class FileAnswerError extends Error {
  override readonly name = 'FileAnswerError'
  readonly status: number

  constructor(status: number) {
    super(`Cannot fetch file: its server answered ${status}`)
    this.status = status
  }
}

export interface FileRules {
  media: Media
  bytesMax: number
  guard: UrlGuard
}

export interface OpenFile {
  type: MediaType
  bytes: AsyncIterable<Uint8Array>
}

/**
 * Fetches a file from a foreign URL. The guard checks the URL and each redirect.
 * @throws {FileRefusedError} For good; after any other error a repeat may work.
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
  // Programs make links, also with letters beyond ASCII: the parser encodes them before the check.
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
    const request = { method: 'GET', url, headers: {}, headersMs: HEADERS_MS_MAX, signal } as const
    const answer = await http.open(request)
    if (answer.outcome !== 'answered') throw answer.cause
    const { status, headers, body } = answer
    if (REDIRECTS.has(status)) {
      return { location: String(URL.parse(readHeader(headers, 'location') ?? '', url)) }
    }
    if (status !== 200) throw new FileAnswerError(status)
    if (Number(headers['content-length'] ?? 0) > bytesMax) throw fileTooLarge(bytesMax)
    const { type, bytes } = await recogniseStream(
      upTo(body, bytesMax, () => fileTooLarge(bytesMax)),
    )
    return { taken: await take({ type: expectMedia(type, media), bytes }) }
  } finally {
    http.close().catch(() => {})
  }
}

export function expectMedia(type: MediaType | undefined, media: Media): MediaType {
  if (type?.media === media) return type
  throw new FileRefusedError('wrong_media', `Cannot take file: it is no ${media} of a known format`)
}

export function fileTooLarge(bytesMax: number): FileRefusedError {
  return new FileRefusedError('too_large', `Cannot take file: it has more than ${bytesMax} bytes`)
}
