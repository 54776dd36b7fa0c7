import { GrammyError } from 'grammy'
import type { Logger } from 'pino'
import {
  AnswerTooLongError,
  createHttpClient,
  readBody,
  readHeader,
} from '../../platform/http/http-client.ts'
import { apiSignal, TELEGRAM_ROOT, type TelegramApi, type TelegramWay } from './api.ts'
import { errorFacts } from './errors.ts'

/** Telegram gives bots no larger file. */
export const DOWNLOAD_BYTES_MAX = 20 * 1024 * 1024

const CONNECT_MS_MAX = 10_000
const SILENCE_MS_MAX = 20_000
const WHOLE_MS_MAX = 60_000
const ATTEMPTS_MAX = 2

export type Download =
  | { status: 'ok'; bytes: Buffer }
  | { status: 'too_large' }
  /** Telegram does not have the file, or cannot send it now. */
  | { status: 'gone' }

export interface FileDownloadDeps extends TelegramWay {
  api: Pick<TelegramApi, 'calls'>
  token: string
  log: Logger
}

/** The URL of a file holds the bot's token: it is used once and never passed on or logged. */
export function createFileDownload({ api, token, apiRoot, proxies, log }: FileDownloadDeps) {
  const http = createHttpClient({ connectMs: CONNECT_MS_MAX, silenceMs: SILENCE_MS_MAX, proxies })
  return { download, close: http.close }

  /** Rejects only with the signal's reason. Holds the whole file in memory. */
  async function download(fileId: string, { signal }: { signal: AbortSignal }): Promise<Download> {
    for (let attempts = 1; ; attempts++) {
      const outcome = await attempt(fileId, signal)
      signal.throwIfAborted()
      if (outcome !== 'failed') return outcome
      if (attempts === ATTEMPTS_MAX) return { status: 'gone' }
    }
  }

  async function attempt(fileId: string, signal: AbortSignal): Promise<Download | 'failed'> {
    const bounded = AbortSignal.any([signal, AbortSignal.timeout(WHOLE_MS_MAX)])
    let path: string | undefined
    try {
      path = (await api.calls.getFile(fileId, apiSignal(bounded))).file_path
    } catch (error) {
      if (!(error instanceof GrammyError) || error.error_code !== 400) {
        log.warn(errorFacts(error), 'cannot ask Telegram for a file')
        return 'failed'
      }
      return { status: error.description.includes('too big') ? 'too_large' : 'gone' }
    }
    // A Bot API server in local mode names a path on its own disk.
    if (path === undefined || path.startsWith('/')) return { status: 'gone' }
    return fetchBytes(path, bounded)
  }

  async function fetchBytes(path: string, signal: AbortSignal): Promise<Download | 'failed'> {
    const answer = await http.open({
      method: 'GET',
      url: `${apiRoot ?? TELEGRAM_ROOT}/file/bot${token}/${path}`,
      headers: {},
      headersMs: SILENCE_MS_MAX,
      signal,
    })
    if (answer.outcome !== 'answered') return failed(answer.outcome)
    const { status, headers, body } = answer
    try {
      if (status !== 200) return failed(`status ${status}`)
      if (Number(readHeader(headers, 'content-length') ?? 0) > DOWNLOAD_BYTES_MAX) {
        return { status: 'too_large' }
      }
      return { status: 'ok', bytes: await readBody(body, DOWNLOAD_BYTES_MAX) }
    } catch (error) {
      if (error instanceof AnswerTooLongError) return { status: 'too_large' }
      return failed('broke off')
    } finally {
      body.destroy()
    }
  }

  /** @param why Our own words: an error may quote the URL. */
  function failed(why: string): 'failed' {
    log.warn({ why }, 'cannot download a file from Telegram')
    return 'failed'
  }
}

export type FileDownload = ReturnType<typeof createFileDownload>
