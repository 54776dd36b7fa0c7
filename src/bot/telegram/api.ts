import { Api, type ApiClientOptions } from 'grammy'
import type { Proxies } from '../../platform/http/proxies.ts'
import type { TelegramClock } from './telegram-clock.ts'
import { createTelegramFetch } from './telegram-fetch.ts'

/** Telegram's own server. */
export const TELEGRAM_ROOT = 'https://api.telegram.org'

/** How long Telegram may hold an empty poll; it allows 50 s. */
export const POLL_S = 45

/** A poll that hangs longer than it may be held is given up: a stuck one could wedge for hours. */
const POLL_TIMEOUT_S = 75
/** Telegram itself waits out up to 8 s of flood control inside a call. */
const CALL_TIMEOUT_S = 30
/** 50 MB over a slow line. */
const UPLOAD_TIMEOUT_S = 300

/** The Bot API with a time-out for each kind of call. */
export interface TelegramApi {
  polls: Api
  calls: Api
  uploads: Api
}

/** The way to Telegram. */
export interface TelegramWay {
  /** Telegram's own where it is missing. No trailing slash. */
  apiRoot?: string | undefined
  proxies?: Proxies | undefined
}

export interface TelegramApiOptions extends TelegramWay {
  token: string
  /** Waited for before each call; what it throws is what the call throws. By default nothing is. */
  whenAllowed?: () => Promise<void>
  onAnswer?: (() => void) | undefined
  /** Takes up the time of each answer. */
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

/** Has grammY's client go that way. */
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
