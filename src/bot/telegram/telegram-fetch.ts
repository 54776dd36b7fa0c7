import type { Readable } from 'node:stream'
import type { ApiClientOptions } from 'grammy'
import { createHttpClient, readWholeAnswer } from '../../platform/http/http-client.ts'
import type { Proxies } from '../../platform/http/proxies.ts'
import type { TelegramClock } from './telegram-clock.ts'

type ApiFetch = NonNullable<ApiClientOptions['fetch']>

/** A second and a third proxy have their turn before a call is given up. */
const CONNECT_MS_MAX = 8_000
const SILENCE_MS_MAX = 30_000
/** grammY gives each kind of call up before. */
const HEADERS_MS_MAX = 600_000
/** Telegram closes an idle connection later than this. A new one costs a handshake. */
const KEPT_MS = 50_000
/** A hundred updates, each of the longest text. */
const ANSWER_BYTES_MAX = 32 * 1024 * 1024

/** A call that has no whole answer. */
export class UnansweredError extends Error {
  override readonly name = 'UnansweredError'
  /** False if no connection came about: nothing was done. */
  readonly isSent: boolean

  constructor(isSent: boolean, cause: unknown) {
    super(`Cannot tell what became of a call: ${isSent ? 'no answer came' : 'it was not sent'}`, {
      cause,
    })
    this.isSent = isSent
  }
}

/**
 * Creates what grammY's client asks by: the program's own HTTP, which takes a third of the CPU of node-fetch, knows
 * whether a call was sent, and goes through proxies.
 */
export function createTelegramFetch(
  proxies: Proxies | undefined,
  clock?: Pick<TelegramClock, 'take'>,
): ApiFetch {
  const http = createHttpClient({
    connectMs: CONNECT_MS_MAX,
    silenceMs: SILENCE_MS_MAX,
    reusesConnections: true,
    keptMs: KEPT_MS,
    proxies,
    // Its URL holds the token, and each edit of each answer would be a span.
  })

  /** @param request As grammY makes it: JSON, or a stream of a form with files. */
  async function ask(url: string, request: ApiRequest): Promise<{ json(): unknown }> {
    const { 'content-type': contentType = '' } = request.headers
    const opened = await http.open({
      method: request.method,
      url,
      headers: { 'content-type': contentType },
      body: request.body,
      headersMs: HEADERS_MS_MAX,
      signal: toSignal(request.signal),
    })
    const exchange =
      opened.outcome === 'answered' ? await readWholeAnswer(opened, ANSWER_BYTES_MAX) : opened
    if (exchange.outcome !== 'answered') {
      throw new UnansweredError(exchange.outcome === 'lost', exchange.cause)
    }
    const { body, headers } = exchange
    clock?.take(headers.date)
    return { json: () => JSON.parse(body.toString()) }
  }

  // Of a `Response` grammY's client reads `json()` alone.
  return ask as unknown as ApiFetch
}

interface ApiRequest {
  method: 'POST'
  headers: Record<string, string>
  body: string | Readable
  signal: Pick<AbortSignal, 'aborted' | 'addEventListener'>
}

/** grammY's signal is of an older polyfill, which has no reason. */
function toSignal(signal: ApiRequest['signal']): AbortSignal {
  const leaving = new AbortController()
  if (signal.aborted) leaving.abort()
  else signal.addEventListener('abort', () => leaving.abort(), { once: true })
  return leaving.signal
}
