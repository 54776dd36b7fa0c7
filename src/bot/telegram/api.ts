import { Api } from 'grammy'

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

export interface TelegramApiOptions {
  token: string
  /** Telegram's own where it is missing. No trailing slash. */
  apiRoot?: string | undefined
  /** Waited for before each call; what it throws is what the call throws. By default nothing is. */
  whenAllowed?: () => Promise<void>
  /** Called whenever Telegram answered, but not for a 5xx. */
  onAnswer?: (() => void) | undefined
}

export function createTelegramApi(options: TelegramApiOptions): TelegramApi {
  const { token, apiRoot, whenAllowed, onAnswer = () => {} } = options
  return {
    polls: withTimeout(POLL_TIMEOUT_S),
    calls: withTimeout(CALL_TIMEOUT_S),
    uploads: withTimeout(UPLOAD_TIMEOUT_S),
  }

  function withTimeout(timeoutSeconds: number): Api {
    const api = new Api(token, { timeoutSeconds, ...(apiRoot !== undefined && { apiRoot }) })
    api.config.use(async (call, ...request) => {
      await whenAllowed?.()
      const answer = await call(...request)
      if (answer.ok || answer.error_code < 500) onAnswer()
      return answer
    })
    return api
  }
}

type ApiSignal = NonNullable<Parameters<Api['getMe']>[0]>

/** grammY names the type of an older polyfill; Node's own signals do what it asks of them. */
export function apiSignal(signal: AbortSignal | undefined): ApiSignal | undefined {
  return signal as ApiSignal | undefined
}
