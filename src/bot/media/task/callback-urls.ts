import type { Logger } from 'pino'
import { InvalidRequestError } from '../../../contract/client/errors.ts'
import type { MediaKind } from '../../../contract/media.ts'

/** Below the root; the order's key follows. */
export const CALLBACK_PATH = '/callbacks'

/**
 * Where the service is to tell of a task's end.
 *
 * @param root Where the service finds this process, without a slash at the end; undefined where it cannot.
 */
export function createCallbackUrls({ root, log }: { root: string | undefined; log: Logger }) {
  let isRefused = false
  return { urlFor, noteRefusal }

  /** Undefined where there is no way to tell: clips have no callbacks. */
  function urlFor({ kind, idempotencyKey }: { kind: MediaKind; idempotencyKey: string }) {
    const isTold = root !== undefined && kind !== 'video' && !isRefused
    return isTold ? `${root}${CALLBACK_PATH}/${idempotencyKey}` : undefined
  }

  /**
   * @returns Whether a creation was refused for its callback URL: it may be asked again without one, and so
   *   will all that follow.
   */
  function noteRefusal(error: unknown): boolean {
    if (!(error instanceof InvalidRequestError) || !/callback/i.test(error.detail ?? '')) {
      return false
    }
    if (!isRefused) log.warn('the service cannot reach PUBLIC_URL with callbacks: tasks are polled')
    isRefused = true
    return true
  }
}

export type CallbackUrls = ReturnType<typeof createCallbackUrls>
