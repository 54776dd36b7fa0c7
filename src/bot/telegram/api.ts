/** The way to Telegram: grammY's client by the program's own HTTP, with a time-out for each kind of call. */
import type { Readable } from 'node:stream'
import { Api, type ApiClientOptions, GrammyError, HttpError } from 'grammy'
import { DATABASE_BACKOFF } from '../../platform/database/retry-until-stored.ts'
import { isDatabaseTrouble } from '../../platform/database/trouble.ts'
import type { TroubleLog } from '../../platform/fold-repeats.ts'
import { createHttpClient, readWholeAnswer } from '../../platform/http/http-client.ts'
import type { Proxies } from '../../platform/http/proxies.ts'
import { backoffMs, type RetryOptions, retry } from '../../platform/time/retry.ts'
import { errorFacts, readFailure, SettingRefusedError, UnansweredError } from './errors.ts'
import type { TelegramClock } from './telegram-clock.ts'

export const TELEGRAM_ROOT = 'https://api.telegram.org'

/** How long Telegram may hold an empty poll; it allows 50 s. */
export const POLL_S = 45

/** A poll that hangs longer than it may be held is given up: a stuck one could wedge for hours. */
const POLL_TIMEOUT_S = 75
/** Telegram itself waits out up to 8 s of flood control inside a call. */
const CALL_TIMEOUT_S = 30
/** 50 MB over a slow line. */
const UPLOAD_TIMEOUT_S = 300

/** A second and a third proxy have their turn before a call is given up. */
const CONNECT_MS_MAX = 8_000
const SILENCE_MS_MAX = 30_000
/** grammY's time-outs end each call before. */
const HEADERS_MS_MAX = 600_000
/** Telegram closes an idle connection later than this. A new one costs a handshake. */
const KEPT_MS = 50_000
/** A hundred updates, each of the longest text. */
const ANSWER_BYTES_MAX = 32 * 1024 * 1024

const BACKOFF = { firstMs: 500, maxMs: 30_000 }

export interface TelegramApi {
  polls: Api
  calls: Api
  uploads: Api
}

export interface TelegramWay {
  /** Telegram's own server if it is missing. No trailing slash. */
  apiRoot?: string | undefined
  proxies?: Proxies | undefined
}

export interface TelegramApiOptions extends TelegramWay {
  token: string
  /** Awaited before each call, which fails with its error. */
  whenAllowed?: () => Promise<void>
  onAnswer?: (() => void) | undefined
  telegramClock?: Pick<TelegramClock, 'take'>
}

export function createTelegramApi(options: TelegramApiOptions): TelegramApi {
  const { token, whenAllowed, onAnswer = () => {} } = options
  const client = toClientOptions(options, options.telegramClock)
  return {
    polls: withTimeout(POLL_TIMEOUT_S),
    calls: withTimeout(CALL_TIMEOUT_S),
    uploads: withTimeout(UPLOAD_TIMEOUT_S),
  }

  function withTimeout(timeoutSeconds: number): Api {
    const api = new Api(token, { ...client, timeoutSeconds })
    api.config.use(async (call, ...request) => {
      await whenAllowed?.()
      const answer = await call(...request)
      if (answer.ok || answer.error_code < 500) onAnswer()
      return answer
    })
    return api
  }
}

export function toClientOptions(
  { apiRoot, proxies }: TelegramWay,
  clock?: TelegramApiOptions['telegramClock'],
): ApiClientOptions {
  return { apiRoot: apiRoot ?? TELEGRAM_ROOT, fetch: createTelegramFetch(proxies, clock) }
}

type ApiSignal = NonNullable<Parameters<Api['getMe']>[0]>

/** grammY names the type of an older polyfill; Node's own signals do what it asks of them. */
export function apiSignal(signal: AbortSignal | undefined): ApiSignal | undefined {
  return signal as ApiSignal | undefined
}

interface ApiRequest {
  method: 'POST'
  headers: Record<string, string>
  /** JSON, or a stream of a form with files. */
  body: string | Readable
  signal: Pick<AbortSignal, 'aborted' | 'addEventListener'>
}

/** Takes a third of the CPU of node-fetch, knows whether a call was sent, and goes through proxies. */
function createTelegramFetch(
  proxies: Proxies | undefined,
  clock: TelegramApiOptions['telegramClock'],
): NonNullable<ApiClientOptions['fetch']> {
  const http = createHttpClient({
    connectMs: CONNECT_MS_MAX,
    silenceMs: SILENCE_MS_MAX,
    reusesConnections: true,
    keptMs: KEPT_MS,
    proxies,
    // Its URL holds the token, and each edit of each answer would be a span.
  })
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
    clock?.take(exchange.headers.date)
    return { json: () => JSON.parse(exchange.body.toString()) }
  }
  // grammY's client reads only `json()` of a `Response`.
  return ask as unknown as NonNullable<ApiClientOptions['fetch']>
}

/** grammY's signal is of an older polyfill, which has no reason. */
function toSignal(signal: ApiRequest['signal']): AbortSignal {
  const leaving = new AbortController()
  if (signal.aborted) leaving.abort()
  else signal.addEventListener('abort', () => leaving.abort(), { once: true })
  return leaving.signal
}

interface KeepTryingOptions extends Pick<RetryOptions, 'clock' | 'signal'> {
  log: Pick<TroubleLog, 'warn'>
}

/**
 * Retries a step that the bot cannot continue without, with bounded backoff.
 *
 * @throws {SettingRefusedError} If waiting would not help; the signal's reason if it aborted.
 */
export function keepTrying<T>(
  action: string,
  step: () => Promise<T>,
  { clock, log, signal }: KeepTryingOptions,
): Promise<T> {
  return retry(step, { clock, signal, delayAfter })

  function delayAfter(error: unknown, attempts: number): number {
    const backoff = isDatabaseTrouble(error) ? DATABASE_BACKOFF : BACKOFF
    const delayMs = statedDelayMs(error) ?? backoffMs(backoff, attempts)
    log.warn({ ...errorFacts(error), action, attempts, delayMs }, 'trying again')
    return delayMs
  }
}

function statedDelayMs(error: unknown): number | undefined {
  if (error instanceof SettingRefusedError) throw error
  if (!(error instanceof GrammyError || error instanceof HttpError)) return undefined
  const failure = readFailure(error)
  if (failure.type === 'flooded') return failure.retryAfterMs
  const isUnknownToken =
    failure.type === 'refused' && (failure.status === 401 || failure.status === 404)
  if (isUnknownToken) throw new SettingRefusedError('BOT_TOKEN', 'it does not know this token')
  return undefined
}
